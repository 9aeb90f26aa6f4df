"""Trains a linear model on torch tensors twice, with bitstep and with plain torch operations, and compares."""
import bitstep
import torch

torch.manual_seed(1)
workers, micro_batches, examples, features = 4, 2, 32, 100
xs = torch.randn(workers, micro_batches, examples, features)  # (W, A, B, d)
truth = torch.randn(features)
ys = xs @ truth + 0.1 * torch.randn(workers, micro_batches, examples)  # (W, A, B)
lr, beta1, beta2, eps, decay = 0.05, 0.9, 0.999, 1e-8, 0.99

weights, ema, m, v = torch.zeros(4, features)
w = torch.zeros(features, requires_grad=True)
adam = torch.optim.Adam([w], lr, (beta1, beta2), eps)
average = torch.zeros(features)

for t in range(1, 201):
    out = bitstep.distributed_step(xs, ys, weights, ema, m, v, lr, beta1, beta2, eps, decay, t)
    weights, ema, m, v = out.chunk(4)

    adam.zero_grad()
    for worker in range(workers):  # what each worker adds to the mean gradient
        for batch in range(micro_batches):
            loss = (xs[worker, batch] @ w - ys[worker, batch]).square().mean()
            (loss / (workers * micro_batches)).backward()
    adam.step()
    average.mul_(decay).add_(w.detach(), alpha=1 - decay)

print("w[0] =", weights[0].item(), "and with torch's own operations", w[0].item())
torch.testing.assert_close(weights, w.detach(), rtol=1e-3, atol=1e-4)
torch.testing.assert_close(ema, average, rtol=1e-3, atol=1e-4)
assert (weights - truth).abs().max() < 0.1

# Inference with the average.
x = torch.randn(8, features)
torch.testing.assert_close(bitstep.predict(x, ema), x @ ema)
