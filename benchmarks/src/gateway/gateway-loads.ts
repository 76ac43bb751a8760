import type { TrafficDialect } from './traffic/traffic.ts';

export type GatewayLoad = {
  name: string;
  client: TrafficDialect;
  /** Model name, which determines the provider and the provider's dialect. */
  model: string;
  isStreamed: boolean;
  /** Set if the question contains personal data, which is masked. */
  isPersonal?: boolean;
  bodyBytes: number;
  /** Concurrencies at which a full run measures it; if empty, it is measured only by name. */
  inFlight: readonly number[];
};

/** A load at one concurrency. */
export type GatewayRow = { load: GatewayLoad; inFlight: number };

/** Restricts a run to these loads and concurrencies; undefined selects those of a full run. */
export type RowChoice = {
  loads: readonly string[] | undefined;
  inFlight: readonly number[] | undefined;
};

/** Concurrency at which a system is busy. */
export const BUSY = 64;
const KIBIBYTE = 1_024;
const CHAT = {
  client: 'chat',
  model: 'gpt-bench',
  isStreamed: false,
  bodyBytes: KIBIBYTE,
  inFlight: [BUSY],
} as const;
const BY_NAME = { ...CHAT, inFlight: [] } as const;
const MESSAGES = { ...BY_NAME, client: 'messages', model: 'claude-bench' } as const;
const RESPONSES = { ...BY_NAME, client: 'responses' } as const;
/** From a client of chat completions to a provider of the messages dialect. */
const CROSSED = { ...BY_NAME, model: 'claude-bench' } as const;

/** The loads in the order of measurement. */
export const GATEWAY_LOADS: readonly GatewayLoad[] = [
  { ...CHAT, name: 'chat-plain', inFlight: [1, BUSY] },
  { ...CHAT, name: 'chat-streamed', isStreamed: true },
  { ...CHAT, name: 'personal-plain', isPersonal: true },
  { ...CHAT, name: 'personal-streamed', isPersonal: true, isStreamed: true },
  { ...CHAT, name: 'chat-plain-100k', bodyBytes: 100 * KIBIBYTE },
  { ...MESSAGES, name: 'messages-plain' },
  { ...MESSAGES, name: 'messages-streamed', isStreamed: true },
  { ...RESPONSES, name: 'responses-plain' },
  { ...RESPONSES, name: 'responses-streamed', isStreamed: true },
  { ...CROSSED, name: 'crossed-plain' },
  { ...CROSSED, name: 'crossed-streamed', isStreamed: true },
];

/** Loads that are also measured through the floor and the peers, and by the guard. */
export const MAIN_LOADS: readonly string[] = ['chat-plain', 'chat-streamed'];
/** The first seconds after a start, with the load `chat-plain`. */
export const COLD_LOAD = 'chat-plain, cold';

export const planRows = ({ loads, inFlight }: RowChoice): GatewayRow[] =>
  GATEWAY_LOADS.filter((load) => loads?.includes(load.name) ?? load.inFlight.length > 0).flatMap(
    (load) =>
      (inFlight ?? (load.inFlight.length > 0 ? load.inFlight : [BUSY])).map((count) => ({
        load,
        inFlight: count,
      })),
  );
