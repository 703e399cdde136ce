// SPDX-License-Identifier: MIT
#include "elf_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace toft::lab {
namespace {

// The whole file, out of which nothing is read beyond its end.
class image {
  public:
    explicit image(std::string bytes) : bytes_(std::move(bytes)) {}

    template <class T>
    std::optional<T> at(std::uint64_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }
    std::string_view text_at(std::uint64_t offset) const {
        if (offset >= bytes_.size()) return {};
        const std::string_view rest = std::string_view(bytes_).substr(offset);
        return rest.substr(0, rest.find('\0'));
    }
    bool holds(std::string_view text) const { return bytes_.find(text) != std::string::npos; }

  private:
    std::string bytes_;
};

std::vector<Elf64_Shdr> sections_of(const image &file, const Elf64_Ehdr &header) {
    std::vector<Elf64_Shdr> sections;
    for (unsigned i = 0; i != header.e_shnum; ++i)
        if (const auto s =
                file.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr)))
            sections.push_back(*s);
    return sections;
}

std::string interpreter_of(const image &file, const Elf64_Ehdr &header) {
    for (unsigned i = 0; i != header.e_phnum; ++i) {
        const auto p = file.at<Elf64_Phdr>(header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
        if (p && p->p_type == PT_INTERP) return std::string(file.text_at(p->p_offset));
    }
    return {};
}

bool defines_malloc(const image &file, const Elf64_Shdr &symbols, const Elf64_Shdr &names) {
    for (std::uint64_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = file.at<Elf64_Sym>(symbols.sh_offset + at);
        if (!symbol) return false;
        if (symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
            file.text_at(names.sh_offset + symbol->st_name) == "malloc")
            return true;
    }
    return false;
}

std::vector<std::string> needed(const image &file, const Elf64_Shdr &dynamic,
                                const Elf64_Shdr &names) {
    std::vector<std::string> libraries;
    for (std::uint64_t at = 0; at < dynamic.sh_size; at += sizeof(Elf64_Dyn)) {
        const auto entry = file.at<Elf64_Dyn>(dynamic.sh_offset + at);
        if (!entry || entry->d_tag == DT_NULL) break;
        if (entry->d_tag == DT_NEEDED)
            libraries.emplace_back(file.text_at(names.sh_offset + entry->d_un.d_val));
    }
    return libraries;
}

// The settings that a malloc reads stand in its text, wherever it is linked.
std::string allocator_inside(const image &file) {
    constexpr std::array<std::array<std::string_view, 2>, 4> settings = {
        {{"MIMALLOC_SHOW_STATS", "mimalloc"},
         {"mimalloc: ", "mimalloc"},
         {"<jemalloc>: ", "jemalloc"},
         {"TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES", "tcmalloc"}}};
    for (const auto &[text, name] : settings)
        if (file.holds(text)) return std::string(name);
    return {};
}

// Empty: this section of notes doesn't begin with it.
std::string build_id_in(const image &file, const Elf64_Shdr &notes) {
    const auto note = file.at<Elf64_Nhdr>(notes.sh_offset);
    if (!note || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != sizeof ELF_NOTE_GNU)
        return {};
    std::string digits;
    for (std::uint64_t i = 0; i != note->n_descsz; ++i) {
        const auto byte =
            file.at<unsigned char>(notes.sh_offset + sizeof *note + note->n_namesz + i);
        if (!byte) return {};
        digits += fmt::format("{:02x}", *byte);
    }
    return digits;
}

} // namespace

std::optional<elf_file> read_elf_file(const std::string &path) {
    std::error_code ignored; // to open a pipe would wait for somebody who writes to it
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
        return std::nullopt;
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::system_error(errno, std::generic_category(), "can't read " + path);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    const image file(bytes.str());
    const auto header = file.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
    elf_file found;
    found.is_64_bit = header->e_ident[EI_CLASS] == ELFCLASS64;
    if (!found.is_64_bit) return found;
    const std::vector<Elf64_Shdr> sections = sections_of(file, *header);
    found.interpreter = interpreter_of(file, *header);
    found.allocator_inside = allocator_inside(file);
    const Elf64_Shdr *names =
        header->e_shstrndx < sections.size() ? &sections[header->e_shstrndx] : nullptr;
    for (const Elf64_Shdr &s : sections) {
        if (names && file.text_at(names->sh_offset + s.sh_name) == ".go.buildinfo")
            found.is_go = true;
        if (s.sh_type == SHT_NOTE && found.build_id.empty()) found.build_id = build_id_in(file, s);
        if (s.sh_link >= sections.size()) continue;
        if (s.sh_type == SHT_DYNSYM)
            found.defines_malloc |= defines_malloc(file, s, sections[s.sh_link]);
        if (s.sh_type == SHT_DYNAMIC) found.libraries = needed(file, s, sections[s.sh_link]);
    }
    return found;
}

} // namespace toft::lab
