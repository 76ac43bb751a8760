import { describe, expect, it } from '@jest/globals';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { CallOutcome, CircuitBreaker } from './circuit-breaker.ts';

const open = () => {
  const world = { now: 0 };
  return { world, breaker: createCircuitBreaker(() => world.now) };
};

/** One call after the other, each settled at once. */
const settleAll = (breaker: CircuitBreaker, outcomes: readonly CallOutcome[]): void => {
  for (const outcome of outcomes) breaker.admit()!(outcome);
};
const times = (count: number, outcome: CallOutcome): CallOutcome[] =>
  Array.from({ length: count }, () => outcome);
/** `failed` and `answered` by turns, so that nothing fails twice in a row. */
const byTurns = (count: number): CallOutcome[] =>
  Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'failed' : 'answered'));

/** A breaker that has just opened. */
const openTripped = () => {
  const opened = open();
  settleAll(opened.breaker, times(20, 'failed'));
  return opened;
};

describe('a circuit breaker that counts failures in a row', () => {
  it('stays closed at 19', () => {
    const { breaker } = open();
    settleAll(breaker, times(19, 'failed'));
    expect(breaker.state).toBe('closed');
    expect(breaker.admit()).toBeDefined();
  });

  it('opens at 20', () => {
    const { breaker } = openTripped();
    expect(breaker.state).toBe('open');
    expect(breaker.admit()).toBeUndefined();
  });

  it('opens at 20 however long they took', () => {
    const { world, breaker } = open();
    for (let call = 0; call < 20; call += 1) {
      world.now += 60_000;
      settleAll(breaker, ['failed']);
    }
    expect(breaker.state).toBe('open');
  });

  it('begins anew with an answer, but not with a call that was abandoned', () => {
    const { breaker } = open();
    settleAll(breaker, [...times(19, 'failed'), 'answered', ...times(18, 'failed')]);
    expect(breaker.state).toBe('closed');
    settleAll(breaker, [...times(50, 'abandoned'), 'failed']);
    expect(breaker.state).toBe('closed');
    settleAll(breaker, ['failed']);
    expect(breaker.state).toBe('open');
  });
});

describe('a circuit breaker that counts shares', () => {
  it('opens when half of 40 calls failed', () => {
    const { breaker } = open();
    settleAll(breaker, byTurns(39));
    expect(breaker.state).toBe('closed');
    settleAll(breaker, ['answered']);
    expect(breaker.state).toBe('open');
  });

  it('does not open when less than half of 40 failed', () => {
    const { breaker } = open();
    settleAll(breaker, ['answered', 'answered', ...byTurns(38)]);
    expect(breaker.state).toBe('closed');
  });

  it('does not open for a share of fewer calls', () => {
    const { breaker } = open();
    settleAll(breaker, [...times(19, 'failed'), 'answered', ...times(19, 'failed')]);
    expect(breaker.state).toBe('closed');
  });

  it('does not count calls that were abandoned', () => {
    const { breaker } = open();
    settleAll(breaker, [...byTurns(39), ...times(20, 'abandoned')]);
    expect(breaker.state).toBe('closed');
  });

  it('forgets calls after 30 s', () => {
    const { world, breaker } = open();
    settleAll(breaker, byTurns(39));
    world.now = 30_000;
    settleAll(breaker, byTurns(39));
    expect(breaker.state).toBe('closed');
  });

  it('still counts what is 26 s old', () => {
    const { world, breaker } = open();
    settleAll(breaker, byTurns(20));
    world.now = 26_000;
    settleAll(breaker, byTurns(20));
    expect(breaker.state).toBe('open');
  });

  it('keeps failures that trickle in under a half from opening it', () => {
    const { world, breaker } = open();
    for (let second = 0; second < 600; second += 1) {
      world.now = second * 1_000;
      settleAll(breaker, ['failed', 'answered', 'answered', 'answered']);
    }
    expect(breaker.state).toBe('closed');
  });
});

describe('an open circuit breaker', () => {
  it('lets nobody through for 10 s, and then exactly one', () => {
    const { world, breaker } = openTripped();
    world.now = 9_999;
    expect(breaker.state).toBe('open');
    expect(breaker.admit()).toBeUndefined();
    world.now = 10_000;
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeDefined();
    expect(breaker.admit()).toBeUndefined();
    world.now = 19_999;
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeUndefined();
  });

  it('lets another one through when the first is slow to answer', () => {
    const { world, breaker } = openTripped();
    world.now = 10_000;
    const slow = breaker.admit()!;
    world.now = 20_000;
    breaker.admit()!('answered');
    expect(breaker.state).toBe('closed');
    slow('failed');
    expect(breaker.state).toBe('closed');
  });

  it('closes with an answer, and has forgotten what was before', () => {
    const { world, breaker } = openTripped();
    world.now = 10_000;
    settleAll(breaker, ['answered']);
    expect(breaker.state).toBe('closed');
    settleAll(breaker, times(19, 'failed'));
    expect(breaker.state).toBe('closed');
    settleAll(breaker, ['failed']);
    expect(breaker.state).toBe('open');
  });

  it('forgets the share too when it closes', () => {
    const { world, breaker } = open();
    settleAll(breaker, byTurns(40));
    world.now = 10_000;
    settleAll(breaker, ['answered', ...byTurns(39)]);
    expect(breaker.state).toBe('closed');
  });

  it('stays open for 10 s more with a failure', () => {
    const { world, breaker } = openTripped();
    world.now = 10_000;
    const probe = breaker.admit()!;
    world.now = 12_000;
    probe('failed');
    expect(breaker.state).toBe('open');
    world.now = 21_999;
    expect(breaker.admit()).toBeUndefined();
    world.now = 22_000;
    expect(breaker.admit()).toBeDefined();
  });

  it('lets the next one try when nobody waited for the answer', () => {
    const { world, breaker } = openTripped();
    world.now = 10_000;
    settleAll(breaker, ['abandoned']);
    expect(breaker.state).toBe('half-open');
    const probe = breaker.admit();
    expect(probe).toBeDefined();
    expect(breaker.admit()).toBeUndefined();
    probe!('answered');
    expect(breaker.state).toBe('closed');
  });

  it('does not rest longer for calls that left before it opened and fail now', () => {
    const { world, breaker } = open();
    const early = breaker.admit()!;
    settleAll(breaker, times(20, 'failed'));
    world.now = 9_000;
    early('failed');
    world.now = 10_000;
    expect(breaker.admit()).toBeDefined();
  });

  it('learns nothing from calls that left before it opened', () => {
    const { world, breaker } = open();
    const early = [breaker.admit()!, breaker.admit()!, breaker.admit()!];
    settleAll(breaker, times(20, 'failed'));
    early[0]!('answered');
    expect(breaker.state).toBe('open');
    world.now = 9_000;
    early[1]!('failed');
    world.now = 10_000;
    expect(breaker.state).toBe('half-open');
    const probe = breaker.admit()!;
    early[2]!('answered');
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeUndefined();
    probe('answered');
    expect(breaker.state).toBe('closed');
  });
});

describe('a pass', () => {
  it('counts once, by what it was first given back with', () => {
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

  it('does not free the place of another probe when it comes back twice', () => {
    const { world, breaker } = openTripped();
    world.now = 10_000;
    const first = breaker.admit()!;
    first('abandoned');
    expect(breaker.admit()).toBeDefined();
    first('abandoned');
    first('answered');
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeUndefined();
  });
});
