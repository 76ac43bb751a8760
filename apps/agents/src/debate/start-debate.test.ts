import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RULES } from './decide-stop.ts';
import type { BeginDebateResult } from './record/debate-store.ts';
import { createStartDebate } from './start-debate.ts';
import type { NewQuestion, StartDebateDeps } from './start-debate.ts';

const IN_CONVERSATION = { kind: 'conversation', conversationId: 'cnv_1', messageId: 'm' } as const;

describe('the limit of concurrent debates of a workspace', () => {
  const open = (options: { permits?: number; begin?: () => Promise<BeginDebateResult> } = {}) => {
    let { permits = 1 } = options;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const begun: string[] = [];
    const begin = async (_workspaceId: string, { id }: { id: string }) => {
      begun.push(id);
      return options.begin?.() ?? ({ isNew: true, leased: { id } } as BeginDebateResult);
    };
    const deps: Partial<StartDebateDeps> = {
      agents: { list: async () => [{ id: 'agt_1', name: 'Ann', model: '' }] as never },
      archive: { find: async () => undefined },
      conversations: { exists: async () => true },
      store: { begin },
      runner: { run: () => ended },
      rules: DEFAULT_RULES,
      agentsMax: 5,
      newId: (prefix) => `${prefix}_${begun.length}`,
      clock: () => new Date(0),
      admit: () => {
        if (permits === 0) return undefined;
        permits -= 1;
        return () => void (permits += 1);
      },
    };
    const start = createStartDebate(deps as StartDebateDeps);
    const ask = (origin: NewQuestion['origin'] = IN_CONVERSATION) =>
      start('ws_1', {
        origin,
        question: 'Hire?',
        briefing: '',
        requestSha256: '',
        requestId: 'req_1',
        levers: [],
        agentIds: [],
      });
    return { ask, end, begun, free: () => permits };
  };

  it('rejects a further debate with RATE_LIMITED and a retry delay, and stores nothing', async () => {
    const { ask, begun } = open({ permits: 1 });
    await ask();
    await expect(ask()).rejects.toMatchObject({
      reason: 'RATE_LIMITED',
      fields: { retryAfter: expect.stringMatching(/^\d+$/) },
    });
    expect(begun).toHaveLength(1);
  });

  it('admits a debate when another one has ended', async () => {
    const { ask, end, free } = open({ permits: 1 });
    await ask();
    expect(free()).toBe(0);
    end();
    await new Promise(setImmediate);
    expect(free()).toBe(1);
    await expect(ask()).resolves.toEqual({ debateId: expect.any(String) });
  });

  it('does not count debates that failed to begin or already existed', async () => {
    const failing = open({ begin: () => Promise.reject(new Error('running')) });
    await expect(failing.ask()).rejects.toThrow('running');
    const known = open({ begin: async () => ({ isNew: false, debateId: 'dbt_0' }) as never });
    await known.ask();
    expect([failing.free(), known.free()]).toEqual([1, 1]);
  });

  it('does not apply to panels', async () => {
    const { ask, begun } = open({ permits: 0 });
    await ask({ kind: 'panel', owner: 'sim_1', key: 'k' });
    expect(begun).toHaveLength(1);
  });
});
