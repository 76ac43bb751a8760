import { readLedger } from '../../chain/read-ledger.ts';
import { verifyLedger } from '../../chain/verify-ledger.ts';
import type { BenchContext } from '../../bench.ts';
import { checkExportedChain } from '../../gateway/check-exported-chain.ts';
import { STREAM_CHUNKS } from '../../gateway/mock-answers.ts';
import { readPostgresSettings } from '../../postgres-settings.ts';
import type { AgentsPart } from '../agents-part.ts';
import { CHAT_SYSTEMS } from './chat-row.ts';
import type { ChatRow } from './chat-row.ts';
import { capturePrompt, measureTurns, runTurns, toChatTarget } from './measure-turns.ts';
import { openChatTestbed } from './open-chat-testbed.ts';
import type { ChatTestbed } from './open-chat-testbed.ts';
import { HISTORY_TURNS, MEMORIES } from './seed-chat.ts';
import { judgeTurns, summarizeTurns, toTurnTable } from './summarize-turns.ts';

/**
 * Measures turns of one agent, alternating with the same provider call through a bare pipe and as a
 * completion. Then checks the certificate chain and the ledger.
 */
export const runChat = async (context: BenchContext): Promise<AgentsPart> => {
  const { pace, resources, log } = context;
  const ownResources = resources.use(new AsyncDisposableStack());
  const testbed = await openChatTestbed(context, ownResources);
  const prompt = await capturePrompt(testbed);
  await warmUp(testbed, prompt, context);
  const rows = await measureAll(testbed, prompt, context);
  log('checking chain and ledger');
  const { file } = testbed.witan;
  const chain = await checkExportedChain(file, testbed.ids);
  const ledger = verifyLedger(await readLedger(file.databaseUrl), {
    calls: new Map([[file.workspaceId, testbed.ids.length]]),
    metering: 'unmetered',
  });
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
    checks: { chain, ledger },
    aims: judgeTurns(summary, pace.agents.chat),
  };
};

type MeasureContext = Pick<BenchContext, 'pace' | 'log'>;

const warmUp = async (
  testbed: ChatTestbed,
  prompt: string,
  { pace, log }: MeasureContext,
): Promise<void> => {
  const { inFlight } = pace.agents.chat;
  const limits = {
    inFlight: Math.max(...inFlight),
    maxMs: pace.firstWarmUpMs,
    maxCalls: testbed.chat.sessions.length,
  };
  for (const system of CHAT_SYSTEMS) {
    log(`warming up ${system}`);
    await runTurns(testbed, toChatTarget(testbed, { system, delayMs: 0, prompt }), limits);
  }
};

const measureAll = async (
  testbed: ChatTestbed,
  prompt: string,
  { pace, log }: MeasureContext,
): Promise<ChatRow[]> => {
  const { delaysMs, inFlight: counts, row, delayedRow } = pace.agents.chat;
  const rows: ChatRow[] = [];
  for (let round = 1; round <= pace.rounds; round += 1) {
    for (const delayMs of delaysMs) {
      for (const inFlight of counts) {
        for (const system of CHAT_SYSTEMS) {
          const name = `${system}, ${delayMs} ms, ${inFlight} at once`;
          log(`round ${round} of ${pace.rounds}: ${name}`);
          const target = toChatTarget(testbed, { system, delayMs, prompt });
          const options = { inFlight, row: delayMs > 0 ? delayedRow : row };
          const measured = await measureTurns(testbed, target, options);
          rows.push({ system, delayMs, inFlight, round, ...measured });
        }
      }
    }
  }
  return rows;
};
