// SPDX-License-Identifier: Apache-2.0
// Error exits as table rows: the call must return exactly this code, its message must hold these words (argument, rule,
// value), and afterwards every watched byte must be what it was.
#pragma once

#include <bitstep/bitstep.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bitstep_test {

/// Memory that a refused call must leave alone.
class watched_memory {
public:
    template <class T>
    void watch(const char* name, const T* data, std::size_t size) {
        ranges_.push_back({name, reinterpret_cast<const unsigned char*>(data), size * sizeof(T), {}});
    }

    void remember() {
        for (range& each : ranges_) {
            each.before.assign(each.data, each.data + each.bytes);
        }
    }

    void expect_unchanged() const {
        EXPECT_FALSE(ranges_.empty()) << "this test watches nothing";
        for (const range& each : ranges_) {
            EXPECT_TRUE(each.bytes == 0 || std::memcmp(each.data, each.before.data(), each.bytes) == 0)
                << each.name << " has changed although the call was refused";
        }
    }

private:
    struct range {
        const char* name;
        const unsigned char* data;
        std::size_t bytes;
        std::vector<unsigned char> before;
    };
    std::vector<range> ranges_;
};

/// What a refused call says.
struct refusal {
    bitstep::status_code code;
    std::vector<std::string> words; ///< each must stand in the message
};

inline void expect_says(const bitstep::status& result, const refusal& wanted) {
    EXPECT_EQ(static_cast<int>(result.code()), static_cast<int>(wanted.code)) << "message: " << result.message();
    if (result.code() != wanted.code) {
        return;
    }
    for (const std::string& word : wanted.words) {
        const bool found = std::string_view(result.message()).find(word) != std::string_view::npos;
        EXPECT_TRUE(found) << "the message lacks \"" << word << "\": " << result.message();
    }
}

template <class Call>
void expect_refused(const char* label, Call call, const refusal& wanted, watched_memory& memory) {
    SCOPED_TRACE(label);
    memory.remember();
    const bitstep::status result = call();
    expect_says(result, wanted);
    if (!result.ok()) {
        memory.expect_unchanged();
    }
}

/// A row of a table of error exits: how to spoil a valid call, and what it then says.
template <class Call>
struct refused_row {
    const char* label;
    std::function<void(Call&)> spoil;
    refusal wanted;
};

/// Call: default-constructed it is valid; run() makes the call; watch_all(memory) names every array.
template <class Call>
void expect_table_refused(const std::vector<refused_row<Call>>& table) {
    EXPECT_FALSE(table.empty()) << "this test refuses nothing";
    Call good;
    EXPECT_TRUE(good.run().ok()) << good.run().message();
    for (const refused_row<Call>& row : table) {
        Call call;
        row.spoil(call);
        watched_memory memory;
        call.watch_all(memory);
        expect_refused(
            row.label, [&] { return call.run(); }, row.wanted, memory);
    }
}

} // namespace bitstep_test
