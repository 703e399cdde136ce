// SPDX-License-Identifier: MIT
// libxml2: a document of 3.4 MB, or many of 4 KiB, read into a tree, walked and freed. Its hook has
// malloc's shape, has no context, and frees without sizes.
#include "documents.hpp"
#include "memories.hpp"

#include <cstring>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdexcept>

namespace toft::lab {
namespace {

std::uint64_t length_of(const xmlChar *text) {
    return text ? std::strlen(reinterpret_cast<const char *>(text)) : 0;
}

std::uint64_t sum_of(const xmlNode *first) {
    std::uint64_t sum = 0;
    for (const xmlNode *n = first; n; n = n->next) {
        if (n->type == XML_TEXT_NODE) sum += length_of(n->content);
        if (n->type != XML_ELEMENT_NODE) continue;
        ++sum;
        for (const xmlAttr *a = n->properties; a; a = a->next)
            sum += length_of(a->children->content);
        sum += sum_of(n->children);
    }
    return sum;
}

template <class Memory>
char *copy_text(const char *text) {
    const std::size_t bytes = std::strlen(text) + 1;
    void *copy = sizeless<Memory>::allocate(bytes);
    return copy ? static_cast<char *>(std::memcpy(copy, text, bytes)) : nullptr;
}

xmlDoc *tree_of(const xml_document &d) {
    xmlDoc *tree =
        xmlReadMemory(d.text.data(), static_cast<int>(d.text.size()), nullptr, nullptr, 0);
    if (!tree) throw std::runtime_error("libxml2 can't read the document");
    return tree;
}

template <class Memory>
class xml_program final : public document_program<xml_document, Memory> {
  public:
    explicit xml_program(const program_choice &chosen)
        : document_program<xml_document, Memory>(
              chosen.case_name == "libxml2"
                  ? make_documents<xml_maker>(1, percent_of(3'400'000, chosen.percent))
                  : make_documents<xml_maker>(percent_of(600, chosen.percent), 4096)) {
        // What the library makes for itself once, and keeps, comes from the heap: an arena that is
        // reset may not hold it. So the hook is set when the library has read its first document.
        xmlInitParser();
        xmlFreeDoc(tree_of(xml_maker::make(4096, 1)));
        using shape = sizeless<Memory>;
        if (Memory::kind != memory_kind::heap)
            xmlMemSetup(shape::free, shape::allocate, shape::resize, copy_text<Memory>);
    }

  private:
    std::uint64_t read(xml_document &d, const std::function<void()> &note_peak) override {
        xmlDoc *tree = tree_of(d);
        const std::uint64_t sum = sum_of(xmlDocGetRootElement(tree));
        note_peak();
        if (!Memory::drops_frees) xmlFreeDoc(tree);
        return sum;
    }
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(LIBXML_DOTTED_VERSION, toft::lab::make_program<toft::lab::xml_program>)
