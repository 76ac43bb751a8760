import type { Address, CompleteEvent } from '@witan/contracts';
import type { AgentTurnService } from '@witan/contracts/services';
import type { Endpoint, JsonObject } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';

export type AgentTurns = Client<typeof AgentTurnService>;

/** Request members, of both dialects, whose value an agent takes from its caller. */
const ACCEPTED_MEMBERS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'stream',
  'stream_options',
]);

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
  'thinking',
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
  const ignored = Object.keys(body).filter(
    (name) => !ACCEPTED_MEMBERS.has(name) && body[name] != null,
  );
  for await (const { event } of turns.run({ ...call, conversation }, options)) {
    if (event!.event.case === 'opened') {
      const openedEvent = event!.event.value;
      const names = new Set([...ignored, ...dropped, ...openedEvent.droppedParams]);
      openedEvent.droppedParams = [...names].toSorted();
    }
    yield event!;
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
