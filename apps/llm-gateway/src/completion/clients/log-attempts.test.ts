import { describe, expect, it } from '@jest/globals';
import type { AttemptRecord } from '../completion.ts';
import { createLogAttempt } from './log-attempts.ts';

const RECORD: AttemptRecord = {
  workspaceId: 'ws_1',
  requestId: 'req_1',
  proofId: 'pf_1',
  provider: 'openai',
  isOwn: false,
  model: 'gpt-test',
  attempt: 1,
  outcome: 'answered',
  status: 200,
  durationMs: 12,
};

const open = () => {
  const lines: string[] = [];
  const state = { now: 0 };
  const at = (level: string) => (fields: object) =>
    void lines.push(`${level} ${(fields as { event: string }).event}`);
  const levels = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const logAttempt = createLogAttempt(levels, () => state.now);
  const logged = (record: Partial<AttemptRecord>): string[] => {
    lines.length = 0;
    logAttempt({ ...RECORD, ...record });
    return [...lines];
  };
  return { logged, state };
};

describe('createLogAttempt', () => {
  it.each<[Partial<AttemptRecord>, string[]]>([
    [{ status: 200 }, ['debug provider_responded']],
    [{ status: 200, attempt: 2 }, ['info provider_responded']],
    [{ status: 400, outcome: 'refused' }, ['info provider_responded']],
    [
      { status: 401, outcome: 'refused' },
      ['info provider_responded', 'error provider_credentials_refused'],
    ],
    [{ status: 429, outcome: 'refused' }, ['info provider_responded', 'warn provider_unavailable']],
    [{ status: 500, outcome: 'refused' }, ['info provider_responded', 'warn provider_unavailable']],
    [
      { status: 0, outcome: 'PROVIDER_UNREACHABLE' },
      ['info provider_attempt_failed', 'warn provider_unavailable'],
    ],
    [{ status: 0, outcome: 'CANCELLED' }, ['info provider_attempt_failed']],
  ])('logs %j', (record, expected) => {
    expect(open().logged(record)).toEqual(expected);
  });

  it('warns once a minute and provider', () => {
    const { logged, state } = open();
    const failed = { status: 503, outcome: 'refused' };
    expect(logged(failed)).toHaveLength(2);
    expect(logged(failed)).toHaveLength(1);
    expect(logged({ ...failed, provider: 'anthropic' })).toHaveLength(2);
    state.now = 60_000;
    expect(logged(failed)).toHaveLength(2);
  });

  it.each([401, 503])('warns of a provider of the operator only (%s)', (status) => {
    const { logged } = open();
    const failed = { status, outcome: 'refused' };
    expect(logged({ ...failed, isOwn: true })).toEqual(['info provider_responded']);
    expect(logged(failed)).toHaveLength(2);
  });
});
