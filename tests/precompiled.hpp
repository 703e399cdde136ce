// SPDX-License-Identifier: MIT
#pragma once

// What most tests include, parsed once for all of them. None of it is ours, and each file still
// includes what it uses: a long run of the tests builds without this.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>
