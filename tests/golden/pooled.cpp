// SPDX-License-Identifier: MIT
// A class's own new and delete, whose instructions are counted: see instructions.sh.
#include <toft/pooled.hpp>

struct node : toft::pooled<node> {
    node *children[3];
};

extern "C" {
node *pooled_new() { return new node; }
void pooled_delete(node *object) { delete object; }
}
