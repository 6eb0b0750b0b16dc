"""Anytime as an optimiser of PyTorch: types, state, groups, averages, hostile input."""

from __future__ import annotations

import copy
import io
import math
import pickle

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from surefoot.torch import Anytime  # noqa: E402


def network(seed=0, dtype=torch.float32):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)).to(dtype)


def batches(count, seed=0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        inputs = torch.randn(16, 6, generator=generator)
        yield inputs.to(dtype), inputs[:, :3].argmax(1)


def train(model, optimizer, data):
    for inputs, labels in data:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs).float(), labels).backward()
        optimizer.step()


def bits(model, optimizer):
    """Return all that a run has: parameters, averages, state and groups."""
    state = copy.deepcopy(optimizer.state_dict())
    averages = list(optimizer.averaged_parameters())
    return [p.detach().clone() for p in model.parameters()], averages, state


def same(first, second):
    """Return whether two nested values agree to the bit, types included."""
    if isinstance(first, torch.Tensor):
        return first.dtype == second.dtype and torch.equal(first, second)
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second


TYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_type_trains_and_keeps_its_type(dtype):
    model = network(dtype=dtype)
    optimizer = Anytime(model.parameters())
    train(model, optimizer, batches(300, dtype=dtype))
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    for parameter in model.parameters():
        state = optimizer.state[parameter]
        assert parameter.dtype == dtype
        assert {value.dtype for value in state.values() if isinstance(value, torch.Tensor)} == {wide}
    assert {average.dtype for average in optimizer.averaged_parameters()} == {dtype}
    inputs, labels = next(batches(1, seed=9, dtype=dtype))
    with optimizer.averaged():
        assert nn.functional.cross_entropy(model(inputs).float(), labels).item() < 0.5


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_half_precision_does_not_stagnate(dtype):
    """Steps far below the resolution of a parameter of 100 add up, as they do in 64 bits."""
    half = torch.full((4,), 100.0, dtype=dtype, requires_grad=True)
    wide = torch.full((4,), 100.0, dtype=torch.float64, requires_grad=True)
    first, second = Anytime([half]), Anytime([wide])
    for t in range(32):
        half.grad, wide.grad = torch.full_like(half, 1 - t % 2 / 2), torch.full_like(wide, 1 - t % 2 / 2)
        first.step()
        second.step()
    assert abs(wide[0].item() - 100) > 1
    assert half[0].item() == pytest.approx(wide[0].item(), rel=torch.finfo(dtype).eps)
    assert first.distance == pytest.approx(second.distance, rel=1e-4)


def test_a_loss_without_minimum_ends_in_a_message_and_finite_parameters():
    for dtype in TYPES:
        weight = torch.ones(2, dtype=dtype, requires_grad=True)
        optimizer = Anytime([weight])
        with pytest.raises(FloatingPointError, match="the loss has no minimum"):  # noqa: PT012
            for _ in range(1000):
                weight.grad = torch.ones_like(weight)
                optimizer.step()
        assert bool(weight.isfinite().all())
        assert float(weight.detach()[0]) < -6e4


def test_large_parameters_in_32_bits_do_not_stagnate():
    """A step of 1e-6 is lost in a parameter of 1e6, but not in what the state has of it."""
    large = torch.full((4,), 1e6, requires_grad=True)
    optimizer = Anytime([large])
    for _ in range(100):
        optimizer.zero_grad()
        (large - 1e6 - 50).abs().sum().backward()
        optimizer.step()
    assert large[0].item() > 1e6 + 10


def test_mixed_types_and_layouts_in_one_group():
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4, 2, dtype=torch.float64))
    model = model.to(memory_format=torch.channels_last)
    optimizer = Anytime(model.parameters())
    for _ in range(5):
        optimizer.zero_grad()
        image = torch.randn(2, 3, 3, 3).to(memory_format=torch.channels_last)
        model[2](model[1](model[0](image)).double()).square().sum().backward()
        optimizer.step()
    strides = model[0].weight.stride()
    assert {optimizer.state[model[0].weight][name].stride() for name in ("start", "shift", "sum")} == {strides}


@pytest.mark.parametrize("options", [{}, {"beta2": 1.0, "weight_decay": 0.1}, {"foreach": False}], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_resumes_to_the_bit_from_a_file(dtype, options):
    model = network(dtype=dtype)
    optimizer = Anytime(model.parameters(), **options)
    data = list(batches(60, dtype=dtype))
    train(model, optimizer, data[:40])
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    train(model, optimizer, data[40:])
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    other = network(seed=5, dtype=dtype)
    other.load_state_dict(saved["model"])
    resumed = Anytime(other.parameters())
    resumed.load_state_dict(saved["optimizer"])
    train(other, resumed, data[40:])
    assert same(bits(model, optimizer), bits(other, resumed))


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_a_copy_goes_on_to_the_bit(copier):
    model = network()
    optimizer = Anytime(model.parameters())
    data = list(batches(30))
    train(model, optimizer, data[:20])
    other, copied = copier((model, optimizer))
    train(model, optimizer, data[20:])
    untouched = bits(model, optimizer)
    train(other, copied, data[20:])
    assert same(untouched, bits(other, copied))
    assert same(untouched, bits(model, optimizer))
    with copied.averaged():
        pass


def test_a_loaded_state_is_a_copy():
    model, other = network(), network()
    optimizer, loaded = Anytime(model.parameters()), Anytime(other.parameters())
    train(model, optimizer, batches(10))
    before = bits(model, optimizer)
    loaded.load_state_dict(optimizer.state_dict())
    train(other, loaded, batches(10))
    assert same(before, bits(model, optimizer))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_a_state_can_be_loaded_for_another_type(dtype):
    model, other = network(), network(dtype=dtype)
    optimizer, loaded = Anytime(model.parameters()), Anytime(other.parameters())
    train(model, optimizer, batches(10))
    loaded.load_state_dict(optimizer.state_dict())
    train(other, loaded, batches(10, dtype=dtype))
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    assert {loaded.state[p]["shift"].dtype for p in other.parameters()} == {wide}


def test_states_of_others_are_refused_and_change_nothing():
    model = network()
    optimizer = Anytime(model.parameters())
    train(model, optimizer, batches(5))
    before = bits(model, optimizer)
    adam = torch.optim.AdamW(model.parameters())
    train(copy.deepcopy(model), adam, [])
    with pytest.raises(ValueError, match="not the state of Anytime"):
        optimizer.load_state_dict(adam.state_dict())
    wider = nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 3))
    foreign = Anytime(wider.parameters())
    train(wider, foreign, batches(2))
    with pytest.raises(ValueError, match=r"shape \(9, 6\): it is that of another model"):
        optimizer.load_state_dict(foreign.state_dict())
    with pytest.raises(ValueError, match=r"groups of \[2\] parameters"):
        optimizer.load_state_dict(Anytime(list(model.parameters())[:2]).state_dict())
    broken = copy.deepcopy(optimizer.state_dict())
    del broken["state"][0]["sum"]
    with pytest.raises(ValueError, match="has no sum"):
        optimizer.load_state_dict(broken)
    broken = copy.deepcopy(optimizer.state_dict())
    broken["param_groups"][0]["interpolation"] = 2.0
    with pytest.raises(ValueError, match="interpolation must be"):
        optimizer.load_state_dict(broken)
    broken = copy.deepcopy(optimizer.state_dict())
    broken["param_groups"][0]["distance"] = math.nan
    with pytest.raises(ValueError, match="distance of the state must be positive"):
        optimizer.load_state_dict(broken)
    broken = copy.deepcopy(optimizer.state_dict())
    broken["state"][1]["shift"][2] = math.nan
    with pytest.raises(ValueError, match="shift is not finite"):
        optimizer.load_state_dict(broken)
    assert same(before, bits(model, optimizer))


def test_foreach_and_one_by_one_agree_to_the_bit():
    results = []
    for foreach in (True, False):
        model = network()
        optimizer = Anytime(model.parameters(), foreach=foreach, weight_decay=0.01)
        train(model, optimizer, batches(50))
        results.append([*model.parameters(), *optimizer.averaged_parameters()])
    assert all(map(torch.equal, *results))


def test_averaged_swaps_the_average_in_and_gives_back_the_bits():
    model = network()
    optimizer = Anytime(model.parameters())
    with optimizer.averaged():  # before the first step there is nothing to swap
        pass
    train(model, optimizer, batches(20))
    before, averages = bits(model, optimizer)[:2]
    assert not all(map(torch.equal, before, averages))
    with optimizer.averaged():
        assert all(map(torch.equal, model.parameters(), averages))
        with torch.no_grad():
            next(model.parameters()).zero_()
    assert all(map(torch.equal, model.parameters(), before))


def test_averaged_gives_back_the_bits_after_an_exception():
    model = network()
    optimizer = Anytime(model.parameters())
    train(model, optimizer, batches(20))
    before = bits(model, optimizer)
    with pytest.raises(KeyError, match="mine"), optimizer.averaged():
        raise KeyError("mine")
    assert same(before, bits(model, optimizer))
    train(model, optimizer, batches(1))


def test_what_must_not_happen_within_averaged_is_refused():
    model = network()
    optimizer = Anytime(model.parameters())
    train(model, optimizer, batches(20))
    before, averages, state = bits(model, optimizer)
    with optimizer.averaged():
        with pytest.raises(RuntimeError, match=r"averaged\(\) within averaged\(\)"), optimizer.averaged():
            pass
        with pytest.raises(RuntimeError, match=r"step\(\) within averaged\(\)"):
            optimizer.step()
        with pytest.raises(RuntimeError, match=r"load_state_dict\(\) within"):
            optimizer.load_state_dict(state)
        assert all(map(torch.equal, model.parameters(), averages))
        assert all(map(torch.equal, optimizer.averaged_parameters(), averages))
    assert all(map(torch.equal, model.parameters(), before))


def test_averages_handed_out_are_copies():
    model = network()
    optimizer = Anytime(model.parameters())
    train(model, optimizer, batches(3))
    before = bits(model, optimizer)
    exported = optimizer.averaged_state_dict(model)
    with optimizer.averaged():
        assert same(exported, optimizer.averaged_state_dict(model))
    assert list(exported) == list(model.state_dict())
    assert all(map(torch.equal, exported.values(), optimizer.averaged_parameters()))
    for tensor in [*exported.values(), *optimizer.averaged_parameters()]:
        tensor.zero_()
    assert same(before, bits(model, optimizer))


@pytest.mark.parametrize("options", [{}, {"beta2": 1.0}])
def test_sparse_gradients_give_the_path_of_dense_ones(options):
    tables = [nn.Embedding(50, 4, sparse=sparse) for sparse in (True, False)]
    tables[1].load_state_dict(tables[0].state_dict())
    optimizers = [Anytime(table.parameters(), **options) for table in tables]
    generator = torch.Generator().manual_seed(0)
    for _ in range(60):
        rows = torch.randint(0, 20, (7,), generator=generator)  # with repetitions, and rows never read
        for table, optimizer in zip(tables, optimizers, strict=True):
            optimizer.zero_grad()
            (table(rows) - 1).square().sum().backward()
            optimizer.step()
    assert tables[0].weight.grad.is_sparse
    assert torch.equal(tables[0].weight, tables[1].weight)
    assert torch.equal(*[next(optimizer.averaged_parameters()) for optimizer in optimizers])


BAD = [math.nan, math.inf, -math.inf, 1e17, -3e38]


@pytest.mark.parametrize("value", BAD)
def test_a_gradient_that_is_not_finite_is_refused_by_name(value):
    model = network()
    optimizer = Anytime(model.named_parameters())
    train(model, optimizer, batches(5))
    before = bits(model, optimizer)
    model[2].bias.grad[1] = value
    with pytest.raises(FloatingPointError, match=r"gradient of parameter '2.bias' of shape \(3,\) is"):
        optimizer.step()
    assert same(before, bits(model, optimizer))


@pytest.mark.parametrize("value", BAD)
def test_a_gradient_that_is_not_finite_is_skipped_and_counted(value):
    model, other = network(), network()
    optimizer = Anytime(model.parameters(), nonfinite="skip")
    train(model, optimizer, batches(5))
    before = bits(model, optimizer)
    model[0].weight.grad[1, 2] = value
    optimizer.step()
    assert optimizer.skipped == 1
    assert same(before[:2], bits(model, optimizer)[:2])
    assert same(before[2]["state"], optimizer.state_dict()["state"])
    loaded = Anytime(other.parameters())
    loaded.load_state_dict(optimizer.state_dict())
    assert loaded.skipped == 1


def test_in_64_bits_larger_gradients_are_fine():
    weight = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimizer = Anytime([weight])
    weight.grad = torch.tensor([1e100, -1e-100], dtype=torch.float64)
    optimizer.step()
    assert weight.tolist() == pytest.approx([-0.5e-6 * 1.1, 0.5e-6 * 1.1])


def test_parameters_that_are_not_finite_are_refused():
    weight = torch.tensor([1.0, math.nan], requires_grad=True)
    optimizer = Anytime([weight])
    weight.grad = torch.ones(2)
    with pytest.raises(FloatingPointError, match=r"parameter 0 of group 0, of shape \(2,\), is not finite"):
        optimizer.step()


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
def test_complex_parameters_are_refused_by_name(dtype):
    bad = torch.zeros(2, dtype=dtype, requires_grad=True)
    good = torch.zeros(2, requires_grad=True)
    with pytest.raises(TypeError, match="parameter 'phase' is complex"):
        Anytime([("gain", good), ("phase", bad)])
    with pytest.raises(TypeError, match="parameter 1 is complex"):
        Anytime([good, bad])
    optimizer = Anytime([good])
    with pytest.raises(TypeError, match="parameter 0 is complex"):
        optimizer.add_param_group({"params": bad})
    assert len(optimizer.param_groups) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"lr": -1.0},
        {"lr": math.nan},
        {"lr": math.inf},
        {"interpolation": 1.1},
        {"interpolation": -0.1},
        {"beta2": 1.5},
        {"beta2": math.nan},
        {"weight_decay": -1e-9},
        {"initial_distance": 0.0},
        {"initial_distance": math.inf},
        {"nonfinite": "ignore"},
    ],
    ids=str,
)
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match=f"^{next(iter(options))} must be"):
        Anytime([torch.zeros(2, requires_grad=True)], **options)


def test_a_group_with_a_bad_setting_is_refused():
    weight = torch.zeros(2, requires_grad=True)
    optimizer = Anytime([weight])
    with pytest.raises(ValueError, match="beta2 must be"):
        optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)], "beta2": 7})
    assert len(optimizer.param_groups) == 1
    weight.grad = torch.ones(2)
    optimizer.param_groups[0]["lr"] = math.nan
    with pytest.raises(ValueError, match="lr must be"):
        optimizer.step()
    assert weight.tolist() == [0, 0]


def test_what_every_optimiser_refuses():
    with pytest.raises(ValueError, match="empty parameter list"):
        Anytime([])
    with pytest.raises(TypeError, match="ordered"):
        Anytime([{"params": {torch.zeros(2, requires_grad=True)}}])
    weight = torch.zeros(2, requires_grad=True)
    with pytest.raises(ValueError, match="more than one"):
        Anytime([{"params": [weight]}, {"params": [weight]}])
    with pytest.raises(ValueError, match="non-leaf"):
        Anytime([weight * 2])


def test_groups_share_the_distance_also_later():
    first, second = torch.zeros(2, requires_grad=True), torch.ones(3, requires_grad=True)
    optimizer = Anytime([first])
    for _ in range(30):
        first.grad = torch.ones(2)
        optimizer.step()
    optimizer.add_param_group({"params": (p for p in [second]), "distance": 5.0})
    assert optimizer.param_groups[1]["distance"] == optimizer.distance > 1e-4


def test_parameters_without_gradient_stay():
    frozen, idle = torch.ones(2), torch.ones(2, requires_grad=True)
    weight, empty = torch.ones((), requires_grad=True), torch.zeros(0, requires_grad=True)
    optimizer = Anytime([frozen, idle, weight, empty])
    optimizer.step()
    assert not optimizer.state
    for _ in range(3):
        optimizer.zero_grad()
        (weight.square() + empty.sum()).backward()
        optimizer.step()
    assert frozen.tolist() == idle.tolist() == [1, 1]
    assert weight.item() < 1
    assert idle.tolist() == list(optimizer.averaged_parameters())[1].tolist()


def test_gradients_of_zero_change_nothing():
    weight = torch.ones(3, requires_grad=True)
    optimizer = Anytime([weight])
    for _ in range(5):
        weight.grad = torch.zeros(3)
        optimizer.step()
    assert weight.tolist() == [1, 1, 1]
    assert optimizer.distance == 1e-6


def test_a_closure_is_called_with_gradients_and_its_loss_returned():
    weight = torch.ones(2, requires_grad=True)
    optimizer = Anytime([weight])

    def closure():
        optimizer.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 2.0
    assert optimizer.step(closure).item() < 2.0
    optimizer.zero_grad()
    assert weight.grad is None
    assert optimizer.step() is None


SCHEDULERS = [
    lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 30),
    lambda o: torch.optim.lr_scheduler.LinearLR(o, start_factor=1e-3, total_iters=10),
    lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda t: min(1.0, t / 10)),  # starts at 0
    lambda o: torch.optim.lr_scheduler.OneCycleLR(o, max_lr=1.0, total_steps=40, cycle_momentum=False),
]


@pytest.mark.parametrize("number", range(len(SCHEDULERS)))
def test_schedulers_scale_the_steps(number):
    model = network()
    optimizer = Anytime(model.parameters())
    scheduler = SCHEDULERS[number](optimizer)
    for batch in batches(30):
        train(model, optimizer, [batch])
        scheduler.step()
    assert all(bool(p.isfinite().all()) for p in [*model.parameters(), *optimizer.averaged_parameters()])


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_models_train_and_see_the_swap(backend):
    model, plain = network(), network()
    compiled = torch.compile(model, backend=backend)
    optimizer, other = Anytime(model.parameters()), Anytime(plain.parameters())
    train(compiled, optimizer, batches(15))
    train(plain, other, batches(15))
    inputs = torch.ones(2, 6)
    with torch.no_grad():
        with optimizer.averaged(), other.averaged():
            assert torch.allclose(compiled(inputs), plain(inputs), rtol=1e-4, atol=1e-6)
            inside = compiled(inputs)
        assert not torch.equal(inside, compiled(inputs))


def test_grad_scaler_skips_before_the_optimiser():
    model = network()
    optimizer = Anytime(model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    for number, (inputs, labels) in enumerate(batches(6)):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), labels)
        scaler.scale(loss * (math.inf if number == 3 else 1)).backward()
        scaler.step(optimizer)
        scaler.update()
    assert optimizer.param_groups[0]["rounds"] == 5
    assert optimizer.skipped == 0


def test_batch_normalisation_as_documented():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3))
    optimizer = Anytime(model.parameters())
    data = list(batches(200))
    train(model, optimizer, data)
    with optimizer.averaged():
        torch.optim.swa_utils.update_bn((inputs for inputs, _ in data), model)
        model.eval()
        hidden = torch.cat([model[0](inputs) for inputs, _ in data])
        assert torch.allclose(model[1].running_mean, hidden.mean(0), rtol=1e-3, atol=1e-3)
        inputs, labels = next(batches(1, seed=9))
        assert nn.functional.cross_entropy(model(inputs), labels).item() < 0.5


def test_hooks_and_names_of_pytorch_work():
    model, calls = network(), []
    optimizer = Anytime(model.named_parameters())
    optimizer.register_step_post_hook(lambda *_: calls.append(1))
    train(model, optimizer, batches(3))
    assert calls == [1, 1, 1]
    assert optimizer.state_dict()["param_groups"][0]["param_names"][0] == "0.weight"
    assert "Anytime" in repr(optimizer)
