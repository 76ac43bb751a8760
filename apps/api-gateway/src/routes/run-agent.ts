import type { Address, CompleteEvent } from '@witan/contracts';
import type { AgentTurnService } from '@witan/contracts/services';
import type { Dialect, JsonObject } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';

export type AgentTurns = Client<typeof AgentTurnService>;

/** Members of both dialects that an agent does not take from its caller (Seed 4.6). */
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

/** Has an agent answer a call of a wire dialect, in the events of a neutral answer. */
export async function* runAgent(
  turns: AgentTurns,
  { body, dialect, ...call }: AgentCall,
  options: CallOptions,
): AsyncGenerator<CompleteEvent> {
  const asked = Object.entries(body).filter(([name]) => !IGNORED.has(name));
  const { conversation } = dialect.decodeRequest(Object.fromEntries(asked));
  for await (const { event } of turns.run({ ...call, conversation }, options)) yield event!;
}

type AgentCall = {
  body: JsonObject;
  dialect: Dialect;
  address: Address;
  proofId: string;
  requestSha256: string;
};
