// Recalls and writes memories with the storage of the agents service. Argument: DATABASE_URL.
import { createPrepareChat } from '@witan/agents/prepare-chat';
import type { PrepareChat } from '@witan/agents/prepare-chat';
import { openStorage } from '@witan/agents/storage';
import { createLog, newId } from '@witan/service-kit';
import { runClosedLoop } from '../../load/run-closed-loop.ts';
import type { LoadCall } from '../../load/run-closed-loop.ts';
import { serveProgram } from '../../program/serve-program.ts';
import { FULL_MEMORIES, pickOwner } from './populate-memories.ts';
import type { MemoryOwner, MemoryCommand, MemoryResult } from './populate-memories.ts';

const [databaseUrl] = process.argv.slice(2);
const log = createLog({ service: 'agents', level: 'info' });
const clock = (): Date => new Date();
/** The storage requires a key, although this benchmark encrypts no secret. */
const secretsKey = Buffer.alloc(32).toString('base64');
const storage = await openStorage(databaseUrl!, log, { newId, clock, secretsKey });

const MESSAGE =
  'Our largest customer in the north asks for longer terms and a lower price. What does that do ' +
  'to the margin and to the budget of the quarter, and what should we tell the bank?';
const AGENT = { id: '', name: 'Ann', slug: 'ann', role: '', systemPrompt: 'You are Ann.' };
const PERSONA = { ...AGENT, personality: '', mission: '', decisionStyle: '', model: '' };
const MAX_TOKENS = 1_500;
const NEVER_ABORTED = new AbortController().signal;

/**
 * Returns a function that makes one call for a random agent and passes the number of memories found
 * to `onMemories`, so that a call that finds no memories is not measured as a fast call.
 */
const createCall = (
  { kind, owners, contextTokens = 0 }: MemoryCommand,
  onMemories: (memories: number) => void,
): LoadCall => {
  const { memories } = storage;
  const prepare = openPrepare(contextTokens);
  const calls: Readonly<Record<MemoryCommand['kind'], (owner: MemoryOwner) => Promise<number>>> = {
    recall: async (owner) => (await recallAll(owner)).length,
    prepare: async (owner) => await countPreparedMemories(prepare, owner),
    write: async (owner) => (await memories.save(owner, [makeDraft()], FULL_MEMORIES))?.length ?? 0,
  };
  return async () => {
    onMemories(await calls[kind](pickOwner(owners)));
    return undefined;
  };
};

const recallAll = async ({ workspaceId, agentId }: MemoryOwner) =>
  (await storage.recall.all(workspaceId, agentId)).visibleTo({ staysLocal: false });

const openPrepare = (contextTokens: number): PrepareChat =>
  createPrepareChat({
    summarize: () => Promise.reject(new Error('There is no history to sum up.')),
    limitsOf: async () => ({ contextTokens, toTimeoutMs: (hostedMs) => hostedMs }),
    ratioOf: () => 1,
    clock,
  });

const countPreparedMemories = async (prepare: PrepareChat, owner: MemoryOwner): Promise<number> => {
  const { workspaceId, agentId } = owner;
  const source = {
    agent: { ...PERSONA, id: agentId, createdAt: clock(), updatedAt: clock() },
    sessionId: 'ses_0',
    history: { messages: [], summary: '', summaryUntil: 0, isLocalOnly: false, isTainted: false },
    memories: await recallAll(owner),
    tools: [],
    passages: [],
    request: {
      agentId,
      message: MESSAGE,
      context: [],
      options: { reflection: false, temperature: 0.8, maxOutputTokens: MAX_TOKENS },
      proofId: '',
      requestSha256: '',
      isStreamed: false,
    },
  };
  const caller = { workspaceId, requestId: '', signal: NEVER_ABORTED };
  const { prepared, shownMemories } = await prepare(source, caller);
  if (prepared.dropped.memories === 0) throw new Error('All memories fit.');
  return shownMemories.length;
};

let written = 0;

const makeDraft = () => {
  written += 1;
  const key = `topic_${1 + (written % WRITTEN_KEYS)}`;
  const value = `The margin of the north is known since step ${written}.`;
  return {
    id: newId('mem'),
    key,
    keyNorm: key,
    type: 'fact' as const,
    value,
    isGlobal: false,
    isGlobalDenied: false,
    isLocalOnly: false,
    isTainted: false,
  };
};

const WRITTEN_KEYS = 50;

const run = async (order: MemoryCommand): Promise<MemoryResult> => {
  let memories = 0;
  const call = createCall(order, (found) => {
    memories += found;
  });
  const result = await runClosedLoop(order.limits, call);
  return { ...result, memoriesPerCall: memories / result.calls };
};

serveProgram({ ready: {}, answer: run, stop: async () => storage[Symbol.asyncDispose]() });
