// SPDX-License-Identifier: Apache-2.0
#include "program/train/state_file.hpp"

#include "program/errors.hpp"
#include "program/number_text.hpp"
#include "program/tensors/state_layout.hpp"
#include "program/text.hpp"
#include "program/train/flat_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

namespace bitstep::program {
namespace {

constexpr const char* version_written = "1";

const char* text_of(bool value) { return value ? "true" : "false"; }

std::vector<double> numbers_of_scales(const design& by, double column_scale::*part) {
    std::vector<double> numbers;
    for (const column_scale& scale : by.scales) {
        numbers.push_back(scale.*part);
    }
    return numbers;
}

// How a person would name the entry: by the option that sets it, where there is one.
std::string shown_key(const std::string& key) {
    static const tensor_metadata words = {{"rows", "the number of rows"},
                                          {"rows_per_step", "--workers x --accum x --batch"},
                                          {"numerics_version", "the numerics version"}};
    const auto found = words.find(key);
    if (found != words.end()) {
        return found->second;
    }
    std::string option = "--" + key;
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

// These follow from the file's numbers and from everything else, and say nothing by their values.
bool is_derived(const std::string& key) {
    return key == "data_digest" || key == "feature_mean" || key == "feature_deviation";
}

// Two lists of names, as JSON; of a thousand columns only the first that differs says something.
std::string difference_of_columns(const std::string& saved, const std::string& here) {
    const std::vector<std::string> before = strings_of(saved).value_or(std::vector<std::string>());
    const std::vector<std::string> now = strings_of(here).value_or(std::vector<std::string>());
    if (before.size() != now.size()) {
        return fmt::format("there are {} feature columns in the state, {} here", before.size(), now.size());
    }
    const auto [in_state, in_file] = std::mismatch(before.begin(), before.end(), now.begin());
    if (in_state == before.end()) {
        return "the list of columns differs";
    }
    return fmt::format("feature column {} is {} in the state, {} here", in_state - before.begin() + 1,
                       printable(*in_state), printable(*in_file));
}

} // namespace

tensor_metadata describe_choices(const design_choice& choice, double test_fraction, const training_plan& plan,
                                 accumulate_mode accumulate) {
    tensor_metadata entries;
    entries[state_marker] = version_written;
    entries["numerics_version"] = fmt::format("{}", numerics_version());
    entries["target"] = choice.target;
    entries["bias"] = text_of(choice.bias);
    entries["standardize"] = text_of(choice.standardize);
    entries["test_fraction"] = number_text(test_fraction);
    entries["accumulate"] = accumulate == accumulate_mode::wide ? "wide" : "native";
    entries["seed"] = fmt::format("{}", plan.seed);
    entries["lr"] = number_text(plan.hyper.lr);
    entries["beta1"] = number_text(plan.hyper.beta1);
    entries["beta2"] = number_text(plan.hyper.beta2);
    entries["eps"] = number_text(plan.hyper.eps);
    entries["ema_decay"] = number_text(plan.hyper.decay);
    entries["l2"] = number_text(plan.l2);
    entries["lr_schedule"] = plan.schedule == lr_schedule::cosine ? "cosine" : "constant";
    if (plan.schedule == lr_schedule::cosine) { // the rate of every step then depends on the last one
        entries["epochs"] = fmt::format("{}", plan.epochs);
    }
    return entries;
}

tensor_metadata describe_data(const design& by, std::size_t rows, std::size_t rows_per_step,
                              const std::string& data_digest) {
    tensor_metadata entries;
    entries["features"] = list_as_json(by.features);
    entries["feature_mean"] = list_as_json(numbers_of_scales(by, &column_scale::mean));
    entries["feature_deviation"] = list_as_json(numbers_of_scales(by, &column_scale::deviation));
    entries["rows"] = fmt::format("{}", rows);
    entries["rows_per_step"] = fmt::format("{}", rows_per_step);
    entries["data_digest"] = data_digest;
    return entries;
}

template <class T>
void save_state(const std::string& path, const training_state<T>& state, const tensor_metadata& description,
                std::size_t steps_per_epoch) {
    tensor_metadata entries = description;
    entries["t"] = fmt::format("{}", state.t);
    entries["epoch"] = fmt::format("{}", state.t / steps_per_epoch);
    entries["step_in_epoch"] = fmt::format("{}", state.t % steps_per_epoch);
    std::vector<tensor_info> tensors;
    for (const char* name : state_tensors) {
        tensor_info tensor;
        tensor.name = name;
        tensor.dtype = sizeof(T) == 4 ? "F32" : "F64";
        tensor.shape = {state.weights.size()};
        tensors.push_back(tensor);
    }
    safetensors_writer file(path, tensors, entries);
    for (const std::vector<T>* values : {&state.weights, &state.ema_weights, &state.m, &state.v}) {
        file.write(values->data(), values->size() * sizeof(T));
    }
    file.commit();
}

void check_save_path(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
        try {
            const saved_state earlier(path);
        } catch (const input_error& error) {
            throw input_error(fmt::format("--save would replace a file that is no state: {}", error.what()));
        }
    }
    const replacing_file probe(path); // never committed: leaves nothing
}

saved_state::saved_state(const std::string& path) : file_(path) {
    if (text(state_marker) != version_written) {
        refuse(fmt::format("is a state of version {}; this program reads version {}", printable(text(state_marker)),
                           version_written));
    }
    const tensor_info* weights = file_.header().find("weights");
    is_f64_ = weights != nullptr && weights->dtype == "F64";
}

const std::string& saved_state::text(const std::string& key) const {
    const auto found = file_.header().metadata.find(key);
    if (found == file_.header().metadata.end()) {
        refuse(key == state_marker ? "is a safetensors file, but no state of bitstep train"
                                   : fmt::format("the metadata lack \"{}\"", key));
    }
    return found->second;
}

accumulate_mode saved_state::accumulate() const {
    const std::string& mode = text("accumulate");
    if (mode != "native" && mode != "wide") {
        refuse(fmt::format("accumulate is \"{}\", neither native nor wide", printable(mode)));
    }
    return mode == "wide" ? accumulate_mode::wide : accumulate_mode::native;
}

bool saved_state::is_true(const std::string& key) const {
    const std::string& value = text(key);
    if (value != "true" && value != "false") {
        refuse(fmt::format("{} is \"{}\", neither true nor false", key, printable(value)));
    }
    return value == "true";
}

design saved_state::read_design() const {
    const auto names = strings_of(text("features"));
    const auto means = numbers_of(text("feature_mean"));
    const auto deviations = numbers_of(text("feature_deviation"));
    if (!names || !means || !deviations || means->size() != names->size() || deviations->size() != names->size()) {
        refuse("features, feature_mean and feature_deviation are not lists of one length");
    }
    design by;
    by.target = text("target");
    by.features = *names;
    by.bias = is_true("bias");
    by.standardize = is_true("standardize");
    for (std::size_t i = 0; i < names->size(); ++i) {
        if (!((*deviations)[i] > 0)) {
            refuse(fmt::format("feature_deviation of {} is {}, not above 0", printable((*names)[i]), (*deviations)[i]));
        }
        by.scales.push_back({(*means)[i], (*deviations)[i]});
    }
    return by;
}

template <class T>
training_state<T> saved_state::read_state() const {
    const std::uint64_t elements =
        file_.header().find("weights") == nullptr ? 0 : file_.header().find("weights")->elements;
    training_state<T> state;
    std::vector<T>* parts[] = {&state.weights, &state.ema_weights, &state.m, &state.v};
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        *parts[i] = read_tensor<T>(state_tensors[i], static_cast<std::size_t>(elements));
    }
    if (std::any_of(state.v.begin(), state.v.end(), [](T value) { return value < 0; })) {
        refuse("v has an element below 0");
    }
    const std::string& t = text("t");
    const auto parsed = std::from_chars(t.data(), t.data() + t.size(), state.t);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<long long>::max());
    if (parsed.ec != std::errc() || parsed.ptr != t.data() + t.size() || state.t >= most) {
        refuse(fmt::format("t is \"{}\", not the number of an update", printable(t)));
    }
    return state;
}

template <class T>
std::vector<T> saved_state::read_tensor(const char* name, std::size_t elements) const {
    const tensor_info* tensor = file_.header().find(name);
    if (tensor == nullptr) {
        refuse(fmt::format("has no tensor {}", name));
    }
    if (tensor->dtype != (sizeof(T) == 4 ? "F32" : "F64")) {
        refuse(fmt::format("tensor {} is {}; all four must be F32, or all F64", name, tensor->dtype));
    }
    if (tensor->shape.size() != 1 || tensor->elements != elements || elements == 0) {
        refuse(fmt::format("tensor {} is not a vector as long as weights", name));
    }
    std::vector<T> values(elements); // the reader has checked that the file is that long
    file_.read(*tensor, 0, values.data(), values.size() * sizeof(T));
    const auto bad = std::find_if(values.begin(), values.end(), [](T value) { return !std::isfinite(value); });
    if (bad != values.end()) {
        refuse(fmt::format("tensor {}, element {} is not finite", name, bad - values.begin()));
    }
    return values;
}

void saved_state::require_equal(const tensor_metadata& description, bool f64) const {
    std::string list;
    const auto add = [&](const std::string& item) { list += (list.empty() ? "" : "; ") + item; };
    if (is_f64_ != f64) {
        add(fmt::format("--dtype is {} in the state, {} here", is_f64_ ? "f64" : "f32", f64 ? "f64" : "f32"));
    }
    bool derived_differs = false;
    for (const auto& [key, here] : description) {
        const auto found = file_.header().metadata.find(key);
        const std::string saved = found == file_.header().metadata.end() ? "none" : found->second;
        if (saved == here) {
            continue;
        }
        if (is_derived(key)) {
            derived_differs = true;
        } else if (key == "features") {
            add(difference_of_columns(saved, here));
        } else {
            add(fmt::format("{} is {} in the state, {} here", shown_key(key), printable(saved), printable(here)));
        }
    }
    if (list.empty() && derived_differs) {
        list = "the numbers in the file are not those that the state was trained on";
    }
    if (!list.empty()) {
        refuse("cannot go on: " + list);
    }
}

void saved_state::refuse(const std::string& reason) const {
    throw input_error(fmt::format("{}: {}", printable_path(file_.path()), reason));
}

template void save_state(const std::string&, const training_state<float>&, const tensor_metadata&, std::size_t);
template void save_state(const std::string&, const training_state<double>&, const tensor_metadata&, std::size_t);
template training_state<float> saved_state::read_state() const;
template training_state<double> saved_state::read_state() const;

} // namespace bitstep::program
