// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace toft::lab {

// A file that is written beside its place, under a name that no other run has, and moved there when
// it is complete. So a reader never sees half of it or a mixture of two, and an old file stays when
// the disk is full. A link stays, and what it leads to is written. What is no regular file, such as
// /dev/stdout, is written as it is. Throws std::system_error; the constructor already does when the
// place can't be written to.
class output_file {
  public:
    explicit output_file(const std::string &path);
    ~output_file();
    output_file(const output_file &) = delete;
    output_file &operator=(const output_file &) = delete;

    void write(std::string_view text);  // all of it, once; or:
    void append(std::string_view text); // a part
    void finish();                      // moves what was appended to its place

  private:
    void drop_draft();

    std::string path_;  // behind links
    std::string draft_; // the path itself, where that is no regular file
    int descriptor_ = -1;
};

} // namespace toft::lab
