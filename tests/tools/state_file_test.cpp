// SPDX-License-Identifier: Apache-2.0
// States: what is written is read, the bytes are fixed, and what is damaged or of another training is refused in words.
#include "files.hpp"
#include "program/errors.hpp"
#include "program/train/flat_list.hpp"
#include "program/train/state_file.hpp"
#include "refusal.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace bitstep_test {
namespace {

using namespace bitstep::program;

design some_design() {
    design by;
    by.target = "y";
    by.features = {"a", "b, \"quoted\"", "\xC3\xBC"};
    by.scales = {{0.1, 1}, {-1e300, 5e-324}, {3, 2}};
    return by;
}

// Everything that a description is made of.
struct settings {
    design by = some_design();
    double test_fraction = 0.25;
    std::size_t rows = 20;
    std::size_t rows_per_step = 8;
    std::string data_digest = "digest";
    training_plan plan;
    bitstep::accumulate_mode accumulate = bitstep::accumulate_mode::wide;

    tensor_metadata description() const {
        tensor_metadata entries =
            describe_choices({by.target, by.bias, by.standardize}, test_fraction, plan, accumulate);
        entries.merge(describe_data(by, rows, rows_per_step, data_digest));
        return entries;
    }
};

tensor_metadata some_description() { return settings().description(); }

template <class T>
training_state<T> some_state() {
    training_state<T> state(4);
    state.weights = {T(0.1), T(-0.0), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max()};
    state.ema_weights = {1, 2, 3, 4};
    state.m = {-1, -2, -3, -4};
    state.v = {0, 1, 2, 3};
    state.t = 7;
    return state;
}

// What reading the whole file is refused with; "" where all was read.
std::string reading_refusal(const std::string& path) {
    const std::string text = refusal_of([&] {
        const saved_state saved(path);
        saved.accumulate();
        saved.read_design();
        saved.is_f64() ? void(saved.read_state<double>()) : void(saved.read_state<float>());
    });
    EXPECT_TRUE(text.empty() || text.rfind(path.substr(0, 20), 0) == 0) << text; // long paths are cut
    return text;
}

template <class T>
void expect_round_trip() {
    const temporary_file file("", "s.safetensors");
    save_state(file.path(), some_state<T>(), some_description(), 3);
    const saved_state saved(file.path());
    EXPECT_EQ(saved.is_f64(), sizeof(T) == 8);
    EXPECT_EQ(saved.accumulate(), bitstep::accumulate_mode::wide);
    const training_state<T> state = saved.read_state<T>();
    EXPECT_EQ(state.digest().hex(), some_state<T>().digest().hex());
    EXPECT_EQ(state.t, 7u);
    const design by = saved.read_design();
    EXPECT_EQ(by.features, some_design().features);
    EXPECT_EQ(by.target, "y");
    EXPECT_TRUE(by.bias && by.standardize);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(by.scales[i].mean, some_design().scales[i].mean);
        EXPECT_EQ(by.scales[i].deviation, some_design().scales[i].deviation);
    }
    EXPECT_NO_THROW(saved.require_equal(some_description(), sizeof(T) == 8));
}

TEST(state_file_test, what_is_saved_is_read_f32) { expect_round_trip<float>(); }
TEST(state_file_test, what_is_saved_is_read_f64) { expect_round_trip<double>(); }

TEST(state_file_test, position_is_there_for_people_and_python) {
    const temporary_file file("", "s.safetensors");
    save_state(file.path(), some_state<float>(), some_description(), 3);
    const safetensors_reader reader(file.path());
    EXPECT_EQ(reader.header().metadata.at("t"), "7");
    EXPECT_EQ(reader.header().metadata.at("epoch"), "2");
    EXPECT_EQ(reader.header().metadata.at("step_in_epoch"), "1");
}

// Writes a state of four F32 tensors after `damage` has had its way with metadata, tensors and values.
struct damaged_parts {
    tensor_metadata metadata = some_description();
    std::vector<tensor_info> tensors;
    std::vector<float> values = {1, 2, 3, 4};
};

std::string refusal_after(const std::function<void(damaged_parts&)>& damage) {
    damaged_parts parts;
    parts.metadata["t"] = "7";
    for (const char* name : {"weights", "ema_weights", "m", "v"}) {
        tensor_info tensor;
        tensor.name = name;
        tensor.dtype = "F32";
        tensor.shape = {4};
        parts.tensors.push_back(tensor);
    }
    damage(parts);
    const temporary_file file("", "s.safetensors");
    safetensors_writer writer(file.path(), parts.tensors, parts.metadata);
    for (const tensor_info& tensor : parts.tensors) {
        std::uint64_t elements = tensor.dtype == "F64" ? 2 : 1;
        for (const std::uint64_t extent : tensor.shape) {
            elements *= extent;
        }
        for (std::uint64_t i = 0; i < elements; ++i) {
            writer.write(&parts.values[i % 4], sizeof(float));
        }
    }
    writer.commit();
    return reading_refusal(file.path());
}

TEST(state_file_test, damaged_states_are_refused_with_a_reason) {
    struct row {
        const char* reason;
        std::function<void(damaged_parts&)> damage;
    };
    const auto set = [](const std::string& key, const std::string& value) {
        return [key, value](damaged_parts& parts) { parts.metadata[key] = value; };
    };
    const auto lose = [](const std::string& key) { return [key](damaged_parts& parts) { parts.metadata.erase(key); }; };
    const row rows[] = {
        {"no state of bitstep train", lose("bitstep_state")},
        {"is a state of version 2", set("bitstep_state", "2")},
        {"lack \"accumulate\"", lose("accumulate")},
        {"neither native nor wide", set("accumulate", "narrow")},
        {"bias is \"yes\", neither true nor false", set("bias", "yes")},
        {"lack \"features\"", lose("features")},
        {"not lists of one length", set("features", "[\"a\"]")},
        {"not lists of one length", set("features", "{\"a\": 1}")},
        {"not lists of one length", set("features", std::string(100'000, '['))}, // nesting
        {"not lists of one length", set("features", "[\"a\", 1, \"b\"]")},
        {"not lists of one length", set("feature_mean", "[1, 2, 1e999]")},
        {"not lists of one length", set("feature_mean", "[1, 2, NaN]")},
        {"not lists of one length", set("feature_mean", "[1, 2, null]")},
        {"not lists of one length", set("feature_mean", "1, 2, 3")},
        {"not lists of one length", set("feature_mean", "[1, 2, 3] [")},
        {"not above 0", set("feature_deviation", "[1, 0, 1]")},
        {"not above 0", set("feature_deviation", "[1, -1, 1]")},
        {"lack \"t\"", lose("t")},
        {"t is \"-1\"", set("t", "-1")},
        {"t is \"\"", set("t", "")},
        {"t is \"7x\"", set("t", "7x")},
        {"t is \"99999999999999999999\"", set("t", "99999999999999999999")},
        {"t is \"9223372036854775807\"", set("t", "9223372036854775807")}, // no update after it
        {"no tensor weights", [](damaged_parts& parts) { parts.tensors[0].name = "w"; }},
        {"no tensor m", [](damaged_parts& parts) { parts.tensors[2].name = "M"; }},
        {"tensor m is F64", [](damaged_parts& parts) { parts.tensors[2].dtype = "F64"; }},
        {"tensor weights is I32", [](damaged_parts& parts) { parts.tensors[0].dtype = "I32"; }},
        {"as long as weights", [](damaged_parts& parts) { parts.tensors[3].shape = {3}; }},
        {"as long as weights",
         [](damaged_parts& parts) {
             parts.tensors[1].shape = {2, 2};
         }},
        {"as long as weights",
         [](damaged_parts& parts) {
             for (tensor_info& tensor : parts.tensors) {
                 tensor.shape = {0};
             }
         }},
        {"element 2 is not finite",
         [](damaged_parts& parts) { parts.values[2] = std::numeric_limits<float>::infinity(); }},
        {"element 0 is not finite",
         [](damaged_parts& parts) { parts.values[0] = std::numeric_limits<float>::quiet_NaN(); }},
        {"v has an element below 0", [](damaged_parts& parts) { parts.values[3] = -1; }},
    };
    EXPECT_EQ(refusal_after([](damaged_parts&) {}), "");
    for (const row& each : rows) {
        const std::string reason = refusal_after(each.damage);
        EXPECT_NE(reason.find(each.reason), std::string::npos) << '"' << reason << "\" lacks: " << each.reason;
    }
}

TEST(state_file_test, every_truncation_is_refused) {
    const temporary_file whole("", "s.safetensors");
    save_state(whole.path(), some_state<float>(), some_description(), 3);
    const std::string bytes = content_of(whole.path());
    for (std::size_t size = 0; size < bytes.size(); size += size < 24 ? 1 : 13) {
        const temporary_file cut(bytes.substr(0, size), "s.safetensors");
        EXPECT_NE(reading_refusal(cut.path()), "") << size;
    }
    const temporary_file longer(bytes + "x", "s.safetensors");
    EXPECT_NE(reading_refusal(longer.path()), "");
}

TEST(state_file_test, another_training_is_refused_by_what_differs) {
    struct row {
        const char* reason;
        std::function<void(settings&)> change;
    };
    const row rows[] = {
        {"--seed is 1 in the state, 2 here", [](settings& s) { s.plan.seed = 2; }},
        {"--lr is 0.001 in the state, 0.01 here", [](settings& s) { s.plan.hyper.lr = 0.01; }},
        {"--beta1 is 0.9 in the state, 0 here", [](settings& s) { s.plan.hyper.beta1 = 0; }},
        {"--beta2 is 0.999 in the state, 0 here", [](settings& s) { s.plan.hyper.beta2 = 0; }},
        {"--eps is 1e-08 in the state, 1 here", [](settings& s) { s.plan.hyper.eps = 1; }},
        {"--ema-decay is 0.999 in the state, 0 here", [](settings& s) { s.plan.hyper.decay = 0; }},
        {"--l2 is 0 in the state, 0.5 here", [](settings& s) { s.plan.l2 = 0.5; }},
        {"--lr-schedule is constant in the state, cosine here",
         [](settings& s) { s.plan.schedule = lr_schedule::cosine; }},
        {"--accumulate is wide in the state, native here",
         [](settings& s) { s.accumulate = bitstep::accumulate_mode::native; }},
        {"--workers x --accum x --batch is 8 in the state, 9 here", [](settings& s) { s.rows_per_step = 9; }},
        {"the number of rows is 20 in the state, 21 here", [](settings& s) { s.rows = 21; }},
        {"--test-fraction is 0.25 in the state, 0 here", [](settings& s) { s.test_fraction = 0; }},
        {"--target is y in the state, z here", [](settings& s) { s.by.target = "z"; }},
        {"--bias is true in the state, false here", [](settings& s) { s.by.bias = false; }},
        {"--standardize is true in the state, false here", [](settings& s) { s.by.standardize = false; }},
        {"feature column 2 is b, \"quoted\" in the state, c here", [](settings& s) { s.by.features[1] = "c"; }},
        {"there are 3 feature columns in the state, 2 here", [](settings& s) { s.by.features.pop_back(); }},
        {"the numbers in the file are not those", [](settings& s) { s.data_digest = "other"; }},
        {"the numbers in the file are not those", [](settings& s) { s.by.scales[0].mean = 0.2; }},
    };
    const temporary_file file("", "s.safetensors");
    save_state(file.path(), some_state<float>(), some_description(), 3);
    const saved_state saved(file.path());
    for (const row& each : rows) {
        settings changed;
        each.change(changed);
        const std::string said = refusal_of([&] { saved.require_equal(changed.description(), false); });
        EXPECT_NE(said.find(each.reason), std::string::npos) << said << "\nlacks\n" << each.reason;
    }
    const std::string type = refusal_of([&] { saved.require_equal(some_description(), true); });
    EXPECT_NE(type.find("--dtype is f32 in the state, f64 here"), std::string::npos) << type;
    settings longer;
    longer.plan.epochs = 1000;
    EXPECT_NO_THROW(saved.require_equal(longer.description(), false));
}

TEST(state_file_test, with_a_cosine_rate_the_epochs_are_part_of_the_training) {
    settings cosine;
    cosine.plan.schedule = lr_schedule::cosine;
    const temporary_file file("", "s.safetensors");
    save_state(file.path(), some_state<float>(), cosine.description(), 3);
    EXPECT_NO_THROW(saved_state(file.path()).require_equal(cosine.description(), false));
    cosine.plan.epochs += 1;
    EXPECT_THROW(saved_state(file.path()).require_equal(cosine.description(), false), input_error);
}

// Another program writes the same file from docs/training.md: these bytes.
TEST(state_file_test, the_header_has_these_bytes) {
    settings small;
    small.by.features = {"a"};
    small.by.scales = {{444.0815874856373, 3}};
    training_state<float> state(2);
    state.t = 7;
    const temporary_file file("", "s.safetensors");
    save_state(file.path(), state, small.description(), 3);
    const std::string expected =
        R"({"__metadata__":{"accumulate":"wide","beta1":"0.9","beta2":"0.999","bias":"true","bitstep_state":"1",)"
        R"("data_digest":"digest","ema_decay":"0.999","epoch":"2","eps":"1e-08","feature_deviation":"[3]",)"
        R"("feature_mean":"[444.0815874856373]","features":"[\"a\"]","l2":"0","lr":"0.001",)"
        R"("lr_schedule":"constant","numerics_version":"1","rows":"20","rows_per_step":"8","seed":"1",)"
        R"("standardize":"true","step_in_epoch":"1","t":"7","target":"y","test_fraction":"0.25"},)"
        R"("weights":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
        R"("ema_weights":{"dtype":"F32","shape":[2],"data_offsets":[8,16]},)"
        R"("m":{"dtype":"F32","shape":[2],"data_offsets":[16,24]},)"
        R"("v":{"dtype":"F32","shape":[2],"data_offsets":[24,32]}})";
    const std::string content = content_of(file.path());
    const std::size_t padded = (expected.size() + 7) / 8 * 8; // the data begin at a multiple of 8
    EXPECT_EQ(content.size(), 8 + padded + 32);
    EXPECT_EQ(content.substr(8, expected.size()), expected);
}

TEST(state_file_test, a_path_that_holds_something_else_is_refused_before_training) {
    const temporary_file data("a,y\n1,2\n");
    EXPECT_THROW(check_save_path(data.path()), input_error);
    EXPECT_EQ(content_of(data.path()), "a,y\n1,2\n");
    EXPECT_THROW(check_save_path(data.path() + "/missing/s.safetensors"), input_error);
    const std::string fresh = data.path() + ".safetensors"; // in the same folder
    EXPECT_NO_THROW(check_save_path(fresh));
    EXPECT_EQ(content_of(fresh), "");
    save_state(fresh, some_state<float>(), some_description(), 3);
    EXPECT_NO_THROW(check_save_path(fresh));
}

TEST(flat_list_test, lists_of_strings_and_numbers) {
    EXPECT_EQ(list_as_json(std::vector<std::string>{"a", "\"", "\xC3\xBC"}), "[\"a\",\"\\\"\",\"\xC3\xBC\"]");
    EXPECT_EQ(strings_of("[]"), std::vector<std::string>{});
    EXPECT_EQ(numbers_of("[ 1, -2.5e-3, 18446744073709551615, -9 ]"),
              (std::vector<double>{1, -2.5e-3, 18446744073709551615.0, -9}));
    for (const char* text :
         {"", "[", "[1", "[1,]", "1", "\"a\"", "[[1]]", "[1][2]", "[{}]", "[true]", "[null]", "{}"}) {
        EXPECT_FALSE(numbers_of(text)) << text;
        EXPECT_FALSE(strings_of(text)) << text;
    }
    EXPECT_FALSE(strings_of("[1]"));
    EXPECT_FALSE(numbers_of("[\"1\"]"));
    EXPECT_THROW(list_as_json(std::vector<std::string>{"\xFF"}), input_error); // no JSON holds it
}

} // namespace
} // namespace bitstep_test
