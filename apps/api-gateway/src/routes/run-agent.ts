import type { Address, CompleteEvent } from '@witan/contracts';
import type { AgentTurnService } from '@witan/contracts/services';
import type { Dialect, JsonObject } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';

export type AgentTurns = Client<typeof AgentTurnService>;

/** Members of both dialects that an agent accepts from its caller. */
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

/** Members removed before decoding, because the agent has its own. */
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
 * Runs an agent for a call of a wire dialect and yields the events of a neutral response. `opened`
 * lists the members that the agent ignored. Throws INVALID_REQUEST for an ignored member that would
 * change the result.
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
      const opened = event!.event.value;
      const names = new Set([...ignored, ...dropped, ...opened.droppedParams]);
      opened.droppedParams = [...names].toSorted();
    }
    yield event!;
  }
}

type AgentCall = {
  body: JsonObject;
  dialect: Dialect;
  address: Address;
  proofId: string;
  requestSha256: string;
  /** True if the key may chat with agents but not change their memory or call tools. */
  readOnly: boolean;
};
