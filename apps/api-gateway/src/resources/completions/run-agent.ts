import type { Address, CompleteEvent } from '@witan/contracts';
import type { AgentTurnService } from '@witan/contracts/services';
import type { Endpoint, JsonObject } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';

export type AgentTurns = Client<typeof AgentTurnService>;

/** Request members, of all dialects, whose value an agent takes from its caller. */
const ACCEPTED_MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'input',
  'instructions',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'temperature',
  'stream',
  'stream_options',
]);

/** Members of the responses dialect that concern the response object, which the gateway makes. */
const RESPONSE_MEMBERS: ReadonlySet<string> = new Set(['store', 'metadata']);

/**
 * Request members that are removed before decoding, because the agent has its own values for them.
 */
const REMOVED_MEMBERS: ReadonlySet<string> = new Set([
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'output_config',
  'text',
  'thinking',
  'reasoning',
  'include',
  'max_tool_calls',
]);

/**
 * Runs an agent for a request in a wire dialect and yields the events of a neutral response. The
 * `opened` event lists the request's members that the agent ignored. Throws INVALID_REQUEST if the
 * other members cannot be decoded.
 */
export async function* runAgent(
  turns: AgentTurns,
  { body, dialect, ...call }: AgentCall,
  options: CallOptions,
): AsyncGenerator<CompleteEvent> {
  const members = Object.entries(body).filter(([name]) => !REMOVED_MEMBERS.has(name));
  const { conversation, dropped } = dialect.decodeRequest(Object.fromEntries(members));
  const isIgnored = (name: string): boolean =>
    !ACCEPTED_MEMBERS.has(name) &&
    !(dialect.name === 'responses' && RESPONSE_MEMBERS.has(name)) &&
    body[name] != null;
  const ignored = Object.keys(body).filter(isIgnored);
  yield* addDropped(eventsOf(turns.run({ ...call, conversation }, options)), [
    ...ignored,
    ...dropped,
  ]);
}

async function* eventsOf(answers: ReturnType<AgentTurns['run']>): AsyncGenerator<CompleteEvent> {
  for await (const { event } of answers) yield event!;
}

/** Yields the events of a call, of which `opened` also lists the names that were dropped before. */
export async function* addDropped(
  events: AsyncIterable<CompleteEvent>,
  dropped: readonly string[],
): AsyncGenerator<CompleteEvent> {
  for await (const event of events) {
    if (event.event.case === 'opened') {
      const opened = event.event.value;
      opened.droppedParams = [...new Set([...dropped, ...opened.droppedParams])].toSorted();
    }
    yield event;
  }
}

type AgentCall = {
  body: JsonObject;
  dialect: Endpoint;
  address: Address;
  proofId: string;
  requestSha256: string;
  /** True if the API key may chat with agents but not change their memory or call tools. */
  readOnly: boolean;
};
