import type { Address, AnswerCompleted, AnswerSink, CompleteEvent } from '@witan/contracts';
import type { AgentTurnService } from '@witan/contracts/services';
import type { Endpoint, JsonObject } from '@witan/dialects';
import { passEvents } from '@witan/dialects';
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
 * Runs an agent for a request in a wire dialect; its answer is neutral. Of what is opened the sink
 * also gets the request's members that the agent ignored. Rejects with INVALID_REQUEST if the other
 * members cannot be decoded.
 */
export const runAgent = async (
  turns: AgentTurns,
  { body, dialect, ...call }: AgentCall,
  options: CallOptions,
  sink: AnswerSink,
): Promise<AnswerCompleted> => {
  const members = Object.entries(body).filter(([name]) => !REMOVED_MEMBERS.has(name));
  const { conversation, dropped } = dialect.decodeRequest(Object.fromEntries(members));
  const isIgnored = (name: string): boolean =>
    !ACCEPTED_MEMBERS.has(name) &&
    !(dialect.name === 'responses' && RESPONSE_MEMBERS.has(name)) &&
    body[name] != null;
  const ignored = Object.keys(body).filter(isIgnored);
  const answers = turns.run({ ...call, conversation }, options);
  return await passEvents(eventsOf(answers), withDropped(sink, [...ignored, ...dropped]));
};

async function* eventsOf(answers: ReturnType<AgentTurns['run']>): AsyncGenerator<CompleteEvent> {
  for await (const { event } of answers) yield event!;
}

/** Returns the sink of a call from which members were dropped before; what is opened lists them. */
export const withDropped = (sink: AnswerSink, dropped: readonly string[]): AnswerSink => ({
  ...sink,
  opened: (opened) => {
    const droppedParams = [...new Set([...dropped, ...opened.droppedParams])].toSorted();
    sink.opened({ ...opened, droppedParams });
  },
});

type AgentCall = {
  body: JsonObject;
  dialect: Endpoint;
  address: Address;
  proofId: string;
  requestSha256: string;
  /** True if the API key may chat with agents but not change their memory or call tools. */
  readOnly: boolean;
};
