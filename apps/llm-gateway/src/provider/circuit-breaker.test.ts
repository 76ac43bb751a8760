import { describe, expect, it } from '@jest/globals';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { CallOutcome, CircuitBreaker } from './circuit-breaker.ts';

const open = () => {
  const clock = { now: 0 };
  return { clock, breaker: createCircuitBreaker(() => clock.now) };
};

const settleAll = (breaker: CircuitBreaker, outcomes: readonly CallOutcome[]): void => {
  for (const outcome of outcomes) breaker.admit()!(outcome);
};
const times = (count: number, outcome: CallOutcome): CallOutcome[] =>
  Array.from({ length: count }, () => outcome);
/** Returns `failed` and `answered` alternately, so that no two failures are consecutive. */
const alternating = (count: number): CallOutcome[] =>
  Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'failed' : 'answered'));

const createOpenBreaker = () => {
  const openedBreaker = open();
  settleAll(openedBreaker.breaker, times(20, 'failed'));
  return openedBreaker;
};

describe('a circuit breaker that counts consecutive failures', () => {
  it('stays closed after 19', () => {
    const { breaker } = open();
    settleAll(breaker, times(19, 'failed'));
    expect(breaker.state).toBe('closed');
    expect(breaker.admit()).toBeDefined();
  });

  it('opens after 20', () => {
    const { breaker } = createOpenBreaker();
    expect(breaker.state).toBe('open');
    expect(breaker.admit()).toBeUndefined();
  });

  it('opens after 20 however long the calls took', () => {
    const { clock, breaker } = open();
    for (let call = 0; call < 20; call += 1) {
      clock.now += 60_000;
      settleAll(breaker, ['failed']);
    }
    expect(breaker.state).toBe('open');
  });

  it('resets its count with a response, but not with an abandoned call', () => {
    const { breaker } = open();
    settleAll(breaker, [...times(19, 'failed'), 'answered', ...times(18, 'failed')]);
    expect(breaker.state).toBe('closed');
    settleAll(breaker, [...times(50, 'abandoned'), 'failed']);
    expect(breaker.state).toBe('closed');
    settleAll(breaker, ['failed']);
    expect(breaker.state).toBe('open');
  });
});

describe('a circuit breaker that counts the failure rate', () => {
  it('opens when half of 40 calls failed', () => {
    const { breaker } = open();
    settleAll(breaker, alternating(39));
    expect(breaker.state).toBe('closed');
    settleAll(breaker, ['answered']);
    expect(breaker.state).toBe('open');
  });

  it('does not open when less than half of 40 failed', () => {
    const { breaker } = open();
    settleAll(breaker, ['answered', 'answered', ...alternating(38)]);
    expect(breaker.state).toBe('closed');
  });

  it('ignores the failure rate below 40 calls', () => {
    const { breaker } = open();
    settleAll(breaker, [...times(19, 'failed'), 'answered', ...times(19, 'failed')]);
    expect(breaker.state).toBe('closed');
  });

  it('does not count abandoned calls', () => {
    const { breaker } = open();
    settleAll(breaker, [...alternating(39), ...times(20, 'abandoned')]);
    expect(breaker.state).toBe('closed');
  });

  it('ignores calls older than 30 s', () => {
    const { clock, breaker } = open();
    settleAll(breaker, alternating(39));
    clock.now = 30_000;
    settleAll(breaker, alternating(39));
    expect(breaker.state).toBe('closed');
  });

  it('counts calls that are 26 s old', () => {
    const { clock, breaker } = open();
    settleAll(breaker, alternating(20));
    clock.now = 26_000;
    settleAll(breaker, alternating(20));
    expect(breaker.state).toBe('open');
  });

  it('stays closed while the failure rate stays below half', () => {
    const { clock, breaker } = open();
    for (let second = 0; second < 600; second += 1) {
      clock.now = second * 1_000;
      settleAll(breaker, ['failed', 'answered', 'answered', 'answered']);
    }
    expect(breaker.state).toBe('closed');
  });
});

describe('an open circuit breaker', () => {
  it('admits no call for 10 s, and then exactly one', () => {
    const { clock, breaker } = createOpenBreaker();
    clock.now = 9_999;
    expect(breaker.state).toBe('open');
    expect(breaker.admit()).toBeUndefined();
    clock.now = 10_000;
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeDefined();
    expect(breaker.admit()).toBeUndefined();
    clock.now = 19_999;
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeUndefined();
  });

  it('admits another probe when the first is slow', () => {
    const { clock, breaker } = createOpenBreaker();
    clock.now = 10_000;
    const settleSlowCall = breaker.admit()!;
    clock.now = 20_000;
    breaker.admit()!('answered');
    expect(breaker.state).toBe('closed');
    settleSlowCall('failed');
    expect(breaker.state).toBe('closed');
  });

  it('closes with a response and resets its count', () => {
    const { clock, breaker } = createOpenBreaker();
    clock.now = 10_000;
    settleAll(breaker, ['answered']);
    expect(breaker.state).toBe('closed');
    settleAll(breaker, times(19, 'failed'));
    expect(breaker.state).toBe('closed');
    settleAll(breaker, ['failed']);
    expect(breaker.state).toBe('open');
  });

  it('resets the failure rate when it closes', () => {
    const { clock, breaker } = open();
    settleAll(breaker, alternating(40));
    clock.now = 10_000;
    settleAll(breaker, ['answered', ...alternating(39)]);
    expect(breaker.state).toBe('closed');
  });

  it('stays open for 10 s more after a failed probe', () => {
    const { clock, breaker } = createOpenBreaker();
    clock.now = 10_000;
    const probe = breaker.admit()!;
    clock.now = 12_000;
    probe('failed');
    expect(breaker.state).toBe('open');
    clock.now = 21_999;
    expect(breaker.admit()).toBeUndefined();
    clock.now = 22_000;
    expect(breaker.admit()).toBeDefined();
  });

  it('admits another probe when the first was abandoned', () => {
    const { clock, breaker } = createOpenBreaker();
    clock.now = 10_000;
    settleAll(breaker, ['abandoned']);
    expect(breaker.state).toBe('half-open');
    const probe = breaker.admit();
    expect(probe).toBeDefined();
    expect(breaker.admit()).toBeUndefined();
    probe!('answered');
    expect(breaker.state).toBe('closed');
  });

  it('does not stay open because calls that were sent before it opened fail', () => {
    const { clock, breaker } = open();
    const settleEarlyCall = breaker.admit()!;
    settleAll(breaker, times(20, 'failed'));
    clock.now = 9_000;
    settleEarlyCall('failed');
    clock.now = 10_000;
    expect(breaker.admit()).toBeDefined();
  });

  it('ignores outcomes of calls sent before it opened', () => {
    const { clock, breaker } = open();
    const settleEarlyCall = [breaker.admit()!, breaker.admit()!, breaker.admit()!];
    settleAll(breaker, times(20, 'failed'));
    settleEarlyCall[0]!('answered');
    expect(breaker.state).toBe('open');
    clock.now = 9_000;
    settleEarlyCall[1]!('failed');
    clock.now = 10_000;
    expect(breaker.state).toBe('half-open');
    const probe = breaker.admit()!;
    settleEarlyCall[2]!('answered');
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeUndefined();
    probe('answered');
    expect(breaker.state).toBe('closed');
  });
});

describe('a permit', () => {
  it('counts once, with its first outcome', () => {
    const { breaker } = open();
    for (let call = 0; call < 19; call += 1) {
      const settle = breaker.admit()!;
      settle('failed');
      settle('failed');
      settle('answered');
    }
    expect(breaker.state).toBe('closed');
    settleAll(breaker, ['failed']);
    expect(breaker.state).toBe('open');
  });

  it('does not release the permit of another probe when it is settled twice', () => {
    const { clock, breaker } = createOpenBreaker();
    clock.now = 10_000;
    const first = breaker.admit()!;
    first('abandoned');
    expect(breaker.admit()).toBeDefined();
    first('abandoned');
    first('answered');
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeUndefined();
  });
});
