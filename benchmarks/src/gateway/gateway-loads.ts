import type { Preset } from '../preset.ts';
import { PACED_MARK } from './mock-answers.ts';
import type { TrafficDialect } from './traffic/traffic.ts';

export type GatewayLoad = {
  name: string;
  client: TrafficDialect;
  /** Model name, which determines the provider and the provider's dialect. */
  model: string;
  isStreamed: boolean;
  isPaced: boolean;
  /** Set if the question contains personal data, which is masked. */
  isPersonal?: boolean;
  bodyBytes: number;
  /**
   * Key of the list in `preset.gateway.inFlight` with the concurrencies at which this load is
   * measured.
   */
  at: 'each' | 'busy' | 'paced';
};

/** A load at one concurrency. */
export type GatewayRow = {
  load: GatewayLoad;
  inFlight: number;
  /** True if the load is also measured through the metered systems at this concurrency. */
  isAlsoMetered: boolean;
  /** True if the load is also measured through the peers at this concurrency. */
  isWithPeers: boolean;
};

/** Restricts a run to these loads and concurrencies; undefined selects all of them. */
export type RowChoice = {
  loads: readonly string[] | undefined;
  inFlight: readonly number[] | undefined;
};

const KIBIBYTE = 1_024;
const SMALL = { isStreamed: false, isPaced: false, bodyBytes: KIBIBYTE, at: 'each' } as const;
const LARGE_BYTES = 100 * KIBIBYTE;
const GPT = 'gpt-bench';
const CLAUDE = 'claude-bench';

/** The loads in the order of measurement. */
export const GATEWAY_LOADS: readonly GatewayLoad[] = [
  { ...SMALL, name: 'chat-plain', client: 'chat', model: GPT },
  { ...SMALL, name: 'chat-streamed', client: 'chat', model: GPT, isStreamed: true },
  { ...SMALL, name: 'messages-plain', client: 'messages', model: CLAUDE },
  { ...SMALL, name: 'messages-streamed', client: 'messages', model: CLAUDE, isStreamed: true },
  { ...SMALL, name: 'responses-plain', client: 'responses', model: GPT },
  { ...SMALL, name: 'responses-streamed', client: 'responses', model: GPT, isStreamed: true },
  { ...SMALL, name: 'personal-plain', client: 'chat', model: GPT, isPersonal: true, at: 'busy' },
  {
    ...SMALL,
    name: 'personal-streamed',
    client: 'chat',
    model: GPT,
    isPersonal: true,
    isStreamed: true,
    at: 'busy',
  },
  // The client uses the chat-completions dialect and the provider the messages dialect, so request
  // and response are converted.
  { ...SMALL, name: 'crossed-plain', client: 'chat', model: CLAUDE, at: 'busy' },
  {
    ...SMALL,
    name: 'crossed-streamed',
    client: 'chat',
    model: CLAUDE,
    isStreamed: true,
    at: 'busy',
  },
  {
    ...SMALL,
    name: 'chat-plain-100k',
    client: 'chat',
    model: GPT,
    bodyBytes: LARGE_BYTES,
    at: 'busy',
  },
  {
    ...SMALL,
    name: 'messages-plain-100k',
    client: 'messages',
    model: CLAUDE,
    bodyBytes: LARGE_BYTES,
    at: 'busy',
  },
  paced({ ...SMALL, name: 'chat-paced', client: 'chat', model: GPT }),
  paced({ ...SMALL, name: 'messages-paced', client: 'messages', model: CLAUDE }),
];

function paced(load: GatewayLoad): GatewayLoad {
  const model = `${load.model}${PACED_MARK}`;
  return { ...load, model, isStreamed: true, isPaced: true, at: 'paced' };
}

/** Loads that are also measured with metering, through the peers, and by the guard. */
export const MAIN_LOADS: readonly string[] = ['chat-plain', 'chat-streamed'];
/** Above it LiteLLM takes half a minute for one row, or refuses calls. */
const PEER_IN_FLIGHT_MAX = 64;

export const planRows = (
  { gateway }: Pick<Preset, 'gateway'>,
  { loads, inFlight }: RowChoice,
): GatewayRow[] =>
  GATEWAY_LOADS.filter(({ name }) => loads?.includes(name) ?? true).flatMap((load) =>
    (inFlight ?? gateway.inFlight[load.at]).map((count) => ({
      load,
      inFlight: count,
      isAlsoMetered:
        MAIN_LOADS.includes(load.name) && (inFlight ?? gateway.inFlight.busy).includes(count),
      isWithPeers: MAIN_LOADS.includes(load.name) && count <= PEER_IN_FLIGHT_MAX,
    })),
  );
