import { checkSystem } from '../../chain/check-system.ts';
import type { BenchContext, BenchPart } from '../../bench.ts';
import { STREAM_CHUNKS } from '../../gateway/mock-answers.ts';
import { measureRounds } from '../../measure-row.ts';
import { readPostgresSettings } from '../../database.ts';
import { CHAT_SYSTEMS, judgeTurns, summarizeTurns, toTurnTable } from './summarize-turns.ts';
import type { ChatRow } from './summarize-turns.ts';
import { captureProviderRequest, measureTurns, runTurns, toChatTarget } from './measure-turns.ts';
import { openChatTestbed } from './open-chat-testbed.ts';
import type { ChatTestbed } from './open-chat-testbed.ts';
import { HISTORY_TURNS, MEMORIES } from './seed-chat.ts';

/**
 * Measures turns of one agent, alternating with the same provider call through a bare pipe and as a
 * completion. Then checks the certificate chain and the ledger.
 */
export const runChat = async (context: BenchContext): Promise<BenchPart> => {
  const { preset, resources, log } = context;
  const ownResources = resources.use(new AsyncDisposableStack());
  const testbed = await openChatTestbed(context, ownResources);
  const prompt = await captureProviderRequest(testbed);
  await warmUp(testbed, prompt, context);
  const rows = await measureAll(testbed, prompt, context);
  log('checking chain and ledger');
  const { file } = testbed.witan;
  const checks = await checkSystem(file, testbed);
  const postgres = await readPostgresSettings(file.databaseUrl);
  await ownResources.disposeAsync();
  const summary = summarizeTurns(rows);
  return {
    name: 'chat',
    config: {
      memories: MEMORIES,
      historyTurns: HISTORY_TURNS,
      promptBytes: Buffer.byteLength(prompt),
      streamChunks: STREAM_CHUNKS,
      postgres,
    },
    rows,
    summary,
    table: toTurnTable(summary),
    checks,
    aims: judgeTurns(summary, preset.agents.chat),
  };
};

type MeasureContext = Pick<BenchContext, 'preset' | 'log'>;

const warmUp = async (
  testbed: ChatTestbed,
  prompt: string,
  { preset, log }: MeasureContext,
): Promise<void> => {
  const { inFlight } = preset.agents.chat;
  const limits = {
    inFlight: Math.max(...inFlight),
    maxMs: preset.firstWarmUpMs,
    maxCalls: testbed.chat.sessions.length,
  };
  for (const system of CHAT_SYSTEMS) {
    log(`warming up ${system}`);
    await runTurns(testbed, toChatTarget(testbed, { system, delayMs: 0, prompt }), limits);
  }
};

const measureAll = (
  testbed: ChatTestbed,
  prompt: string,
  context: MeasureContext,
): Promise<ChatRow[]> => {
  const { delaysMs, inFlight: counts, row, delayedRow } = context.preset.agents.chat;
  const plan = delaysMs.flatMap((delayMs) =>
    counts.flatMap((inFlight) =>
      CHAT_SYSTEMS.map((system) => ({
        label: `${system}, ${delayMs} ms, ${inFlight} at once`,
        measure: async () => {
          const target = toChatTarget(testbed, { system, delayMs, prompt });
          const options = { inFlight, row: delayMs > 0 ? delayedRow : row };
          return { system, delayMs, inFlight, ...(await measureTurns(testbed, target, options)) };
        },
      })),
    ),
  );
  return measureRounds(plan, context);
};
