// SPDX-License-Identifier: MIT
#pragma once

#include "program.hpp"
#include "workloads/aged/random.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The documents that the suite's parsers read. They are made by a generator with a seed, so that
// they are the same everywhere; and it computes the sums that the parsers must find.
namespace toft::lab {

// Words of 2 to 11 letters.
inline void append_word(std::string &text, xorshift &random) {
    for (std::uint32_t letters = 2 + random() % 10; letters != 0; --letters)
        text += static_cast<char>('a' + random() % 26);
}
inline void append_words(std::string &text, xorshift &random, std::uint32_t count) {
    append_word(text, random);
    for (; count > 1; --count) {
        text += ' ';
        append_word(text, random);
    }
}

// So many of the usual ones, at least one.
inline std::size_t percent_of(std::size_t usual, std::uint64_t percent) {
    return std::max<std::size_t>(1, usual * static_cast<std::size_t>(percent) / 100);
}

struct xml_document {
    std::string text;
    std::uint64_t sum = 0; // elements, and the bytes of attributes' values and of texts
};

class xml_maker {
  public:
    // A catalogue of books of about so many bytes.
    static xml_document make(std::size_t bytes, std::uint32_t seed) {
        xml_maker maker(seed);
        maker.open("catalogue");
        maker.put_text("\n");
        while (maker.made_.text.size() < bytes) maker.put_book();
        maker.close("catalogue");
        return std::move(maker.made_);
    }

  private:
    explicit xml_maker(std::uint32_t seed) : random_(seed) {}

    void open(std::string_view name) {
        made_.text.append("<").append(name).append(">");
        ++made_.sum;
    }
    void close(std::string_view name) { made_.text.append("</").append(name).append(">"); }
    void put_text(std::string_view text) {
        made_.text += text;
        made_.sum += text.size();
    }
    void put_words(std::uint32_t count) {
        std::string words;
        append_words(words, random_, count);
        put_text(words);
    }
    void put_element(std::string_view name, std::uint32_t words) {
        open(name);
        put_words(words);
        close(name);
        put_text("\n");
    }
    void put_book() {
        std::string language;
        append_word(language, random_);
        const std::string id = std::to_string(random_() % 1'000'000);
        made_.text += "<book id=\"" + id + "\" lang=\"" + language + "\">";
        made_.sum += 1 + id.size() + language.size();
        put_text("\n");
        put_element("title", 1 + random_() % 6);
        for (std::uint32_t authors = 1 + random_() % 3; authors != 0; --authors) {
            open("author");
            put_element("first", 1);
            put_element("last", 1);
            close("author");
        }
        if (random_() % 4 == 0) put_element("abstract", 10 + random_() % 60);
        put_element("year", 1);
        close("book");
        put_text("\n");
    }

    xorshift random_;
    xml_document made_;
};

struct json_document {
    std::string text;
    // Whole numbers, twice the numbers with a half, the lengths of keys and texts, and 1 for each
    // true.
    std::uint64_t sum = 0;
    std::uint64_t text_bytes = 0; // of keys and texts
    std::uint64_t scalars = 0;    // numbers, texts, keys, true, false and null
};

class json_maker {
  public:
    // A list of records, some of which hold records, of about so many bytes.
    static json_document make(std::size_t bytes, std::uint32_t seed) {
        json_maker maker(seed);
        maker.made_.text = "[";
        while (maker.made_.text.size() < bytes) {
            if (maker.made_.text.size() > 1) maker.made_.text += ",\n";
            maker.put_record(0);
        }
        maker.made_.text += "]";
        return std::move(maker.made_);
    }

  private:
    explicit json_maker(std::uint32_t seed) : random_(seed) {}

    void put_text(std::string_view text) {
        made_.text.append("\"").append(text).append("\"");
        made_.sum += text.size();
        made_.text_bytes += text.size();
        ++made_.scalars;
    }
    void put_words(std::uint32_t count) {
        std::string words;
        append_words(words, random_, count);
        put_text(words);
    }
    void put_key(std::string_view key) {
        put_text(key);
        made_.text += ':';
    }
    void put_whole_number() {
        const std::uint32_t number = random_() % 1'000'000;
        made_.text += std::to_string(number);
        made_.sum += number;
        ++made_.scalars;
    }
    void put_half_number() {
        const std::uint32_t number = random_() % 100'000;
        made_.text += std::to_string(number) + ".5";
        made_.sum += 2 * number + 1;
        ++made_.scalars;
    }
    void put_truth() {
        const bool truth = random_() % 2 == 0;
        made_.text += truth ? "true" : "false";
        made_.sum += truth ? 1 : 0;
        ++made_.scalars;
    }
    void put_record(unsigned depth) {
        made_.text += '{';
        put_key("id");
        put_whole_number();
        made_.text += ',';
        put_key("name");
        put_words(1 + random_() % 4);
        made_.text += ',';
        put_key("score");
        put_half_number();
        made_.text += ',';
        put_key("active");
        put_truth();
        made_.text += ',';
        put_key("parent");
        made_.text += "null";
        ++made_.scalars;
        made_.text += ',';
        put_key("tags");
        made_.text += '[';
        for (std::uint32_t tags = random_() % 6, i = 0; i != tags; ++i) {
            if (i != 0) made_.text += ',';
            put_words(1);
        }
        made_.text += "],";
        put_key("parts");
        made_.text += '[';
        for (std::uint32_t parts = depth == 3 ? 0 : random_() % 3, i = 0; i != parts; ++i) {
            if (i != 0) made_.text += ',';
            put_record(depth + 1);
        }
        made_.text += "]}";
    }

    xorshift random_;
    json_document made_;
};

// Several documents that are read one after another, each of about so many bytes.
template <class Maker>
auto make_documents(std::size_t count, std::size_t bytes) {
    std::vector<decltype(Maker::make(bytes, 1))> documents;
    for (std::size_t i = 0; i != count; ++i)
        documents.push_back(Maker::make(bytes, static_cast<std::uint32_t>(i + 1)));
    return documents;
}

// Reads documents one after another.
template <class Document, class Memory>
class document_program : public program {
  public:
    explicit document_program(std::vector<Document> documents) : documents_(std::move(documents)) {}

    std::uint64_t round(const std::function<void()> &note_peak) final {
        const std::function<void()> nothing = [] {};
        std::uint64_t sum = 0;
        for (Document &d : documents_) {
            sum += read(d, &d == &documents_.back() ? note_peak : nothing);
            Memory::end();
        }
        return sum;
    }
    std::uint64_t expected_sum() const final {
        std::uint64_t sum = 0;
        for (const Document &d : documents_) sum += sum_in(d);
        return sum;
    }
    std::uint64_t operations() const final { return documents_.size(); }

  private:
    // Returns the sum of what it has read; and frees that, unless Memory drops frees. Where most
    // objects live, it calls note_peak.
    virtual std::uint64_t read(Document &, const std::function<void()> &note_peak) = 0;
    // As read finds it.
    virtual std::uint64_t sum_in(const Document &d) const { return d.sum; }

    std::vector<Document> documents_;
};

} // namespace toft::lab
