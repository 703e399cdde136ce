// SPDX-License-Identifier: MIT
// The one file of the target that parses precompiled.hpp for all tests.
