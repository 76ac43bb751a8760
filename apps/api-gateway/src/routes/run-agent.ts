import type { Address, CompleteEvent } from '@witan/contracts';
import type { AgentTurnService } from '@witan/contracts/services';
import type { Dialect, JsonObject } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';

export type AgentTurns = Client<typeof AgentTurnService>;

/** Members of both dialects that an agent takes from its caller. */
const TAKEN: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'stream',
  'stream_options',
]);

/** Members left out before decoding: an agent has its own, whatever these say (Seed 4.6). */
const IGNORED: ReadonlySet<string> = new Set([
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
 * Has an agent answer a call of a wire dialect, in the events of a neutral answer. `opened` names
 * what the agent did not take from its caller (Seed 4.6). Throws INVALID_REQUEST for a member
 * without which the answer would be another one.
 */
export async function* runAgent(
  turns: AgentTurns,
  { body, dialect, ...call }: AgentCall,
  options: CallOptions,
): AsyncGenerator<CompleteEvent> {
  const asked = Object.entries(body).filter(([name]) => !IGNORED.has(name));
  const { conversation, dropped } = dialect.decodeRequest(Object.fromEntries(asked));
  const untaken = Object.keys(body).filter((name) => !TAKEN.has(name) && body[name] != null);
  for await (const { event } of turns.run({ ...call, conversation }, options)) {
    if (event!.event.case === 'opened') {
      const opened = event!.event.value;
      const names = new Set([...untaken, ...dropped, ...opened.droppedParams]);
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
  /** The key may talk to agents and change nothing of theirs. */
  readOnly: boolean;
};
