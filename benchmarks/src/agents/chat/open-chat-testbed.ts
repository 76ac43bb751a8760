import { join } from 'node:path';
import type { BenchContext } from '../../bench.ts';
import { openPipe, openWitan } from '../../gateway/open-systems.ts';
import type { GatewaySystem, WitanOptions } from '../../gateway/open-systems.ts';
import { openProgram } from '../../program/open-program.ts';
import type { Program } from '../../program/open-program.ts';
import type { ChatLoad, ChatLoadResult } from './chat-clients.ts';
import type { ProviderCommand, ProviderReport } from './chat-provider.ts';
import { TOOL_PATH } from './questions.ts';
import { seedChat } from './seed-chat.ts';
import type { SeededChat } from './seed-chat.ts';

export type ChatClients = Program<object, ChatLoad, ChatLoadResult>;
export type ChatProvider = Program<{ url: string }, ProviderCommand, ProviderReport>;

/** The processes of the chat benchmark, and the seeded agent with its chat sessions. */
export type ChatTestbed = {
  provider: ChatProvider;
  clients: ChatClients;
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
  { stateDir, pace }: Pick<BenchContext, 'stateDir' | 'pace'>,
  resources: AsyncDisposableStack,
  witanOptions: Pick<WitanOptions, 'profileDir'> = {},
): Promise<ChatTestbed> => {
  const provider = resources.use(
    await openProgram<{ url: string }, ProviderCommand, ProviderReport>({
      file: 'agents/chat/chat-provider.ts',
      logFile: join(stateDir, 'provider.log'),
    }),
  );
  const clients = resources.use(
    await openProgram<object, ChatLoad, ChatLoadResult>({
      file: 'agents/chat/chat-clients.ts',
      logFile: join(stateDir, 'clients.log'),
    }),
  );
  const providerUrl = provider.ready.url;
  const pipe = await openPipe(stateDir, providerUrl, resources);
  const witan = await openWitan(
    { mode: 'standalone', metering: 'unmetered', stateDir, providerUrl, ...witanOptions },
    resources,
  );
  const { sessions: sessionCount } = pace.agents.chat;
  const seeds = { sessionCount, toolUrl: `${providerUrl}${TOOL_PATH}` };
  const chat = await seedChat(witan.file, seeds, resources);
  return { provider, clients, pipe, witan, chat, ids: [] };
};
