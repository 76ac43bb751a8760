import { setTimeout as pause } from 'node:timers/promises';
import { Agent, fetch } from 'undici';

/** The calls of one workspace that try to stop another; each round is bounded. */
export type Attack = {
  name: string;
  /** Runs once before the attack is measured. */
  prepare?: (caller: Attacker) => Promise<void>;
  round: (caller: Attacker) => Promise<number[]>;
};

export type Attacker = {
  /** Makes a call and resolves with its status and body; the body is read to its end. */
  call: (method: string, path: string, body?: string) => Promise<{ status: number; text: string }>;
  /** Id of the last of three stored responses of 9 MiB. */
  conversationId: string;
};

const MIB = 1024 * 1024;
/** Models whose provider speaks another dialect, so that the gateway stores the responses. */
const CONVERTED_MODEL = 'claude-bench';
const CHAIN_LENGTH = 3;
const PROSE = 'The board of Fjordbank met Ingrid Solberg in Oslo to talk about the next quarter. ';
/** Pause after a round, so that refused calls do not become a flood of small calls. */
const ROUND_PAUSE_MS = 200;

export const createAttacker = (baseUrl: string, apiKey: string, dispatcher: Agent): Attacker => {
  const call: Attacker['call'] = async (method, path, body) => {
    const answer = await fetch(`${baseUrl}/v1${path}`, {
      method,
      dispatcher,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { call, conversationId: '' };
};

const preview = async ({ call }: Attacker, content: string): Promise<number[]> => {
  const body = JSON.stringify({ model: 'gpt-bench', messages: [{ role: 'user', content }] });
  return [(await call('POST', '/chat/completions/preview', body)).status];
};

const setPatterns =
  (patterns: readonly string[]) =>
  async ({ call }: Attacker): Promise<void> => {
    const privacy = { patterns: patterns.map((pattern) => ({ pattern, category: 'ORG' })) };
    const { status, text } = await call('PUT', '/workspace', JSON.stringify({ privacy }));
    if (status !== 200) throw new Error(`PUT /v1/workspace was answered ${status}: ${text}`);
  };

/** Stores three responses that continue each other. */
const storeConversation = async (attacker: Attacker): Promise<void> => {
  if (attacker.conversationId !== '') return;
  const input = 'x '.repeat((9 * MIB) / 2);
  for (let index = 0; index < CHAIN_LENGTH; index += 1) {
    const previous = attacker.conversationId && { previous_response_id: attacker.conversationId };
    const body = JSON.stringify({ model: CONVERTED_MODEL, input, ...(previous || {}) });
    const { status, text } = await attacker.call('POST', '/responses', body);
    if (status !== 200) throw new Error(`POST /v1/responses was answered ${status}: ${text}`);
    attacker.conversationId = (JSON.parse(text) as { id: string }).id;
  }
};

const atOnce = (count: number, call: () => Promise<{ status: number }>): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, async () => (await call()).status));

export const ATTACKS: readonly Attack[] = [
  {
    name: 'a preview of 14 MB with a costly pattern',
    prepare: setPatterns(['.{1,100}X']),
    round: (attacker) => preview(attacker, 'a'.repeat(14_000_000)),
  },
  {
    name: 'a preview of 6 MB with that pattern, which is allowed',
    prepare: setPatterns(['.{1,100}X']),
    round: (attacker) => preview(attacker, 'a'.repeat(6_000_000)),
  },
  {
    name: 'a preview of 24 MB of a@a@',
    prepare: setPatterns([]),
    round: (attacker) => preview(attacker, 'a@'.repeat(12_000_000)),
  },
  {
    name: 'a preview of 12 MB of prose, which is allowed',
    round: (attacker) => preview(attacker, PROSE.repeat(12_000_000 / PROSE.length)),
  },
  {
    name: '12 calls at once that continue 27 MiB',
    prepare: storeConversation,
    round: ({ call, conversationId }) => {
      const input = { input: 'Go on.', previous_response_id: conversationId };
      const body = JSON.stringify({ model: CONVERTED_MODEL, store: false, ...input });
      return atOnce(12, () => call('POST', '/responses', body));
    },
  },
  {
    name: '60 lists of input items of 9 MiB at once',
    prepare: storeConversation,
    round: ({ call, conversationId }) =>
      atOnce(60, () => call('GET', `/responses/${conversationId}/input_items?limit=1`)),
  },
  {
    name: '40 calls of 8 MiB in the background at once',
    round: ({ call }) => {
      const input = 'x '.repeat(4 * MIB);
      const body = JSON.stringify({ model: CONVERTED_MODEL, input, background: true });
      return atOnce(40, () => call('POST', '/responses', body));
    },
  },
  {
    name: '40 such calls that no provider can take',
    round: ({ call }) => {
      const input = 'x '.repeat(4 * MIB);
      const body = JSON.stringify({ model: 'service-sensitive', input, background: true });
      return atOnce(40, () => call('POST', '/responses', body));
    },
  },
];

/** Repeats an attack until `isEnded`, and resolves with the number of responses of each status. */
export const repeatAttack = async (
  { round }: Attack,
  attacker: Attacker,
  isEnded: () => boolean,
): Promise<Record<string, number>> => {
  const statuses: Record<string, number> = {};
  while (!isEnded()) {
    for (const status of await round(attacker)) {
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    await pause(ROUND_PAUSE_MS);
  }
  return statuses;
};
