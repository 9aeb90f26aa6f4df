// SPDX-License-Identifier: Apache-2.0
// STATE of `train --save` and --resume: a safetensors file with the tensors weights, ema_weights, m, v (F32 or F64, [d]:
// the features in the order of the training file, then the bias) and all else as metadata. The bytes depend on the
// training alone, never on machine, threads, workers or time, so that two states can be compared with `cmp`.
#pragma once

#include "program/data/design.hpp"
#include "program/tensors/safetensors.hpp"
#include "program/train/training_plan.hpp"
#include "program/train/training_state.hpp"

#include <bitstep/bitstep.hpp>

#include <cstddef>
#include <string>

namespace bitstep::program {

/// What a person has chosen for a training, as metadata. docs/training.md lists the keys.
tensor_metadata describe_choices(const design_choice& choice, double test_fraction, const training_plan& plan,
                                 accumulate_mode accumulate);

/// What follows from the file. `data_digest`: over X and y of training and test rows.
tensor_metadata describe_data(const design& by, std::size_t rows, std::size_t rows_per_step,
                              const std::string& data_digest);

/// Writes the state (replacing_file) with the description and where it stands: t, epoch, step_in_epoch.
template <class T>
void save_state(const std::string& path, const training_state<T>& state, const tensor_metadata& description,
                std::size_t steps_per_epoch);

/// input_error where there is a file at `path` that is no state: a mistyped --save must not destroy data. Also where the
/// folder takes no new file.
void check_save_path(const std::string& path);

/// A state that was opened. Its parts are checked where they are read; input_error "PATH: reason".
class saved_state {
public:
    explicit saved_state(const std::string& path);

    const std::string& path() const { return file_.path(); }
    bool is_f64() const { return is_f64_; }
    accumulate_mode accumulate() const;
    std::string target() const { return text("target"); }

    /// For `predict`.
    design read_design() const;

    /// Four tensors of one length, finite, v >= 0, and t. T as is_f64() says.
    template <class T>
    training_state<T> read_state() const;

    /// input_error that lists each entry of the description in which this state differs from the run that would go on
    /// from it. Two runs may go on from each other's states where nothing differs.
    void require_equal(const tensor_metadata& description, bool f64) const;

private:
    const std::string& text(const std::string& key) const;
    bool is_true(const std::string& key) const;
    template <class T>
    std::vector<T> read_tensor(const char* name, std::size_t elements) const;
    [[noreturn]] void refuse(const std::string& reason) const;

    safetensors_reader file_;
    bool is_f64_ = false;
};

} // namespace bitstep::program
