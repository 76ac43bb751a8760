import type { BenchContext } from '../../bench.ts';
import { openHttpClients, openReference, openWitan } from '../../gateway/open-systems.ts';
import type { GatewaySystem, HttpClients, WitanOptions } from '../../gateway/open-systems.ts';
import { openProgram } from '../../program/open-program.ts';
import type { Program } from '../../program/open-program.ts';
import type { ProviderCommand, ProviderReport } from './chat-provider.ts';
import { TOOL_PATH } from './questions.ts';
import { seedChat } from './seed-chat.ts';
import type { SeededChat } from './seed-chat.ts';

export type ChatProvider = Program<{ url: string }, ProviderCommand, ProviderReport>;

/** The processes of the chat benchmark, and the seeded agent with its chat sessions. */
export type ChatTestbed = {
  provider: ChatProvider;
  clients: HttpClients;
  pipe: GatewaySystem;
  witan: Awaited<ReturnType<typeof openWitan>>;
  chat: SeededChat;
  /** Proof ids of all certified calls so far. */
  ids: string[];
};

/**
 * Starts a fake provider, the clients, the bare pipe, and Witan as `npm start` does with a durable
 * PostgreSQL; then seeds an agent.
 */
export const openChatTestbed = async (
  { stateDir, preset }: Pick<BenchContext, 'stateDir' | 'preset'>,
  resources: AsyncDisposableStack,
  witanOptions: Pick<WitanOptions, 'profileDir'> = {},
): Promise<ChatTestbed> => {
  const file = 'agents/chat/chat-provider.ts';
  const provider: ChatProvider = await openProgram({ file, stateDir }, resources);
  const clients = await openHttpClients(stateDir, resources);
  const providerUrl = provider.ready.url;
  const pipe = await openReference('pipe', { stateDir, providerUrl }, resources);
  const witan = await openWitan(
    { mode: 'standalone', stateDir, providerUrl, ...witanOptions },
    resources,
  );
  const { sessions: sessionCount } = preset.agents.chat;
  const seedOptions = { sessionCount, toolUrl: `${providerUrl}${TOOL_PATH}` };
  const chat = await seedChat(witan.file, seedOptions, resources);
  return { provider, clients, pipe, witan, chat, ids: [] };
};
