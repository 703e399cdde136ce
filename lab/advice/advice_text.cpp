// SPDX-License-Identifier: MIT
#include "advice_text.hpp"

#include "advice_words.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ranges>

namespace toft::lab {
namespace {

// Below a headline.
void print_paragraph(const paragraph &p, printer &out) {
    out.text(p.text, 3);
    for (const std::string &item : p.items) out.text(item, 6);
}

std::string text_of(const maker_words &m) {
    return fmt::format("{}: {} of {}{}{}{}{}", m.place, m.objects, m.sizes,
                       m.way.empty() ? "" : ", ", m.way, m.others.empty() ? "" : "; ", m.others);
}

paragraph makers_of(const advice_words &w) {
    paragraph makers{w.made};
    for (const maker_words &m : w.makers | std::views::take(told_lines))
        makers.items.push_back(text_of(m));
    const std::uint64_t told = makers.items.size();
    if (const std::uint64_t more = w.makers.size() - told + w.more_makers; more != 0)
        makers.items.push_back(
            fmt::format("and {}, which --html and --json tell", counted(more, "more line")));
    return makers;
}

void print_line(const advice_words &w, printer &out) {
    out.heading(w.headline);
    if (!w.gain.empty()) print_paragraph({fmt::format("Expected: {}. {}", w.gain, w.origin)}, out);
    for (const paragraph &p : w.reasons) print_paragraph(p, out);
    print_paragraph(makers_of(w), out);
    for (const paragraph &p : w.fate) print_paragraph(p, out);
    for (std::size_t from = 0; from < w.sketch.size();) {
        const std::size_t end = std::min(w.sketch.find('\n', from), w.sketch.size());
        out.line("       " + w.sketch.substr(from, end - from));
        from = end + 1;
    }
}

// What can't be worth a change is told by its headline.
void print_small(const std::vector<advice_words> &lines, printer &out) {
    if (std::ranges::any_of(lines, &advice_words::is_small)) out.heading("Hardly worth a change");
    for (const advice_words &w : lines)
        if (w.is_small) print_paragraph({fmt::format("{}: {}", w.headline, w.gain)}, out);
}

} // namespace

void print_advice(const advice_report &report, printer &out) {
    const report_words words = words_of(report);
    out.text(fmt::format("{}: {}", words.program, words.about));
    for (const std::string &remark : report.remarks) out.text(remark);
    for (const std::string &note : report.notes) out.text(note);
    for (const std::string &text :
         {words.mallocs.best, words.mallocs.others, words.mallocs.left_out})
        if (!text.empty()) out.text(text);
    for (const std::string &conclusion : words.conclusions) out.heading(conclusion);
    for (const advice_words &w : words.lines)
        if (!w.is_small) print_line(w, out);
    print_small(words.lines, out);
    for (const std::string &text : words.closing) out.text(text);
}

} // namespace toft::lab
