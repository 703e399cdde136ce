// SPDX-License-Identifier: MIT
#pragma once

#include "advice/places.hpp"
#include "objects.hpp"
#include "parquet_file.hpp"
#include "site_totals.hpp"

#include <string>
#include <vector>

// Recordings as tables in a folder: recordings, sites, lifetimes, stacks and frames, each a file of
// Parquet. docs/export.md describes their columns, and has queries.
//
// Recordings and stacks have numbers that are made of their contents. So the tables of many runs
// and machines can be read as one: what is equal has the same number everywhere.
namespace toft::lab {

class table_folder {
  public:
    // Makes the folder when it isn't there. Throws std::system_error when it can't be written to.
    explicit table_folder(const std::string &path);

    // Before a recording's objects are told, when its stacks are in the tree.
    void begin(const std::string &path, const stack_tree &);
    object_listener &lifetimes() { return lifetimes_; }
    // After that.
    void end(const std::string &path, const recording &, const std::vector<site_total> &,
             const recorded_extent &, double peak_bytes);

    // Writes the stacks that the sites and ends of lifetimes have, and puts all files in place.
    void finish(places &);

  private:
    // Goes again when nothing was put into it.
    class made_folder {
      public:
        explicit made_folder(std::string path);
        ~made_folder();
        made_folder(const made_folder &) = delete;
        made_folder &operator=(const made_folder &) = delete;

      private:
        std::string path_;
        bool is_new_ = false;
    };

    class lifetime_table : public object_listener {
      public:
        explicit lifetime_table(const std::string &folder);
        void made(const heap_object &) override {}
        void resized(const heap_object &, const heap_object &) override {}
        void ended(const heap_object &, const object_end &) override;
        void left_alive(const heap_object &) override;

        parquet_file file;
        std::int64_t recording = 0;
        const std::vector<std::int64_t> *stacks = nullptr; // the number of each node's
        std::vector<bool> used;                            // nodes
    };

    void add_stacks(places &);

    made_folder folder_; // before the files in it
    const stack_tree *tree_ = nullptr;
    std::vector<std::int64_t> stacks_; // the number of each node's stack
    parquet_file recordings_, sites_;
    lifetime_table lifetimes_;
    parquet_file stack_table_, frames_;
};

} // namespace toft::lab
