// SPDX-License-Identifier: MIT
// expat: many documents of 16 KiB, each with a parser of its own. It makes no tree, so it allocates
// little. Its hook has malloc's shape, has no context, and frees without sizes.
#include "documents.hpp"
#include "memories.hpp"

#include <cstring>
#include <expat.h>
#include <stdexcept>

namespace toft::lab {
namespace {

void XMLCALL add_element(void *sum, const XML_Char *, const XML_Char **attributes) {
    auto &found = *static_cast<std::uint64_t *>(sum);
    ++found;
    for (; *attributes; attributes += 2) found += std::strlen(attributes[1]);
}

void XMLCALL add_text(void *sum, const XML_Char *, int bytes) {
    *static_cast<std::uint64_t *>(sum) += static_cast<std::uint64_t>(bytes);
}

template <class Memory>
XML_Parser make_parser() {
    if (Memory::kind == memory_kind::heap) return XML_ParserCreate(nullptr);
    using shape = sizeless<Memory>;
    const XML_Memory_Handling_Suite hook = {shape::allocate, shape::resize, shape::free};
    return XML_ParserCreate_MM(nullptr, &hook, nullptr);
}

template <class Memory>
class expat_program final : public document_program<xml_document, Memory> {
  public:
    explicit expat_program(const program_choice &chosen)
        : document_program<xml_document, Memory>(
              make_documents<xml_maker>(percent_of(200, chosen.percent), 16 << 10)) {}

  private:
    std::uint64_t read(xml_document &d, const std::function<void()> &note_peak) override {
        std::uint64_t sum = 0;
        XML_Parser parser = make_parser<Memory>();
        if (!parser) throw std::bad_alloc();
        XML_SetUserData(parser, &sum);
        XML_SetStartElementHandler(parser, add_element);
        XML_SetCharacterDataHandler(parser, add_text);
        const int bytes = static_cast<int>(d.text.size());
        if (XML_Parse(parser, d.text.data(), bytes, XML_TRUE) != XML_STATUS_OK)
            throw std::runtime_error("expat can't read the document");
        note_peak();
        if (!Memory::drops_frees) XML_ParserFree(parser);
        return sum;
    }
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(XML_ExpatVersion(), toft::lab::make_program<toft::lab::expat_program>)
