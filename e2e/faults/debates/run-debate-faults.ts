import { openReceiver, openScriptedProvider } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { readPath } from '../config.ts';
import { judgeCertificates } from '../judge-certificates.ts';
import { meteredEnvironment } from '../metered-environment.ts';
import { openRunningSystem } from '../open-running-system.ts';
import { untilReceived } from '../until-received.ts';
import { openConversationApi } from './conversation-api.ts';
import { AGENT_NAMES, createScriptedCouncil, toPersona } from './scripted-council.ts';
import { createFaults } from './debate-faults.ts';
import type { DebateFault } from './debate-faults.ts';
import { noFault } from './fault-injectors.ts';
import { findDebateViolations } from './find-debate-violations.ts';
import { runDebate } from './run-debate.ts';
import type { DebateContext, DebateRun } from './run-debate.ts';

export type DebateOutcome = {
  name: string;
  calls: number;
  /** Number of model calls in excess of those of a debate without faults. */
  extraCalls: number;
  /**
   * Number of calls whose outcome was not stored when the fault was injected, so that they may be
   * repeated.
   */
  callsInFlight: number;
  endedAfterMs: number;
  violations: string[];
};

export type DebateReport = {
  leaseMs: number;
  /** Number of model calls of a debate without faults. */
  minimum: number;
  rounds: DebateOutcome[];
  /** Totals over all debates, read once no call is in flight. */
  certificates: { calls: number; certificates: number; charged: number; webhooks: number };
  violations: string[];
};

/**
 * Duration of a debate's lease; long enough to be renewed on a busy machine, because each lost
 * lease uses up one of four attempts.
 */
const LEASE_MS = 3_000;
const COMPLETION_TIMEOUT_MS = 20_000;
/** Maximum number of violations that are printed for each fault. */
const VIOLATIONS_SHOWN = 5;
const WEBHOOK_PATH = '/synthesized';

/**
 * Runs a debate without faults, then one for each fault whose name contains `only`, and compares
 * their outcomes.
 */
export const runDebateFaults = async ({
  home,
  only,
}: {
  home: string;
  only: string;
}): Promise<DebateReport> => {
  await using owned = new AsyncDisposableStack();
  const council = createScriptedCouncil();
  const provider = owned.use(
    await openScriptedProvider({ models: ['gpt-5'], fallback: council.script }),
  );
  const receiver = owned.use(await openReceiver());
  const system = await openRunningSystem(home, {
    PATH: readPath(),
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'sk-faults',
    WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    WITAN_DEBATE_LEASE_MS: String(LEASE_MS),
    ...meteredEnvironment(COMPLETION_TIMEOUT_MS),
  });
  owned.defer(async () => void (await system.stop()));
  const { databaseUrl, natsUrl, ...file } = await system.readFile();
  if (!natsUrl) throw new Error('This part needs a nats-server on the PATH.');
  const api = openConversationApi(file);
  await api.createWebhook(receiver.urlOf(WEBHOOK_PATH));
  const ids = await api.replaceAgents(AGENT_NAMES.map(toPersona));
  return await runAllFaults({ system, api, council, databaseUrl, ids, home, receiver }, only);
};

type RunContext = DebateContext & { home: string; receiver: Receiver };

const runAllFaults = async (context: RunContext, only: string): Promise<DebateReport> => {
  let number = 1;
  const baselineRun = await runDebate(number, noFault, context);
  const { outcome = '', calls } = baselineRun.evidence;
  const runs = [baselineRun];
  const found: DebateReport = {
    leaseMs: LEASE_MS,
    minimum: calls.length,
    rounds: [],
    certificates: { calls: 0, certificates: 0, charged: 0, webhooks: 0 },
    violations: [],
  };
  const judge = (run: DebateRun, { name, ...fault }: Omit<DebateFault, 'injector'>): void => {
    const all = { ...run.evidence, ...fault, expected: { outcome, calls } };
    const judged = findDebateViolations(all);
    const faultOutcome = toDebateOutcome(name, run, calls.length);
    faultOutcome.violations.push(...[...run.violations, ...judged].map((one) => `${name}: ${one}`));
    found.rounds.push(faultOutcome);
    printOutcome(found, faultOutcome);
  };
  const baseline = { name: 'undisturbed', mayMissAnswer: false };
  judge(baselineRun, baseline);
  for (const { injector, ...fault } of createFaults(baselineRun.steps)) {
    if (!fault.name.includes(only)) continue;
    number += 1;
    try {
      const run = await runDebate(number, injector, context);
      runs.push(run);
      judge(run, fault);
    } catch (error) {
      // An error of one fault counts as a violation, so that the next faults still run.
      const violations = [`${fault.name}: ${String(error)}`];
      const faultOutcome = { name: fault.name, ...NO_MEASUREMENTS, violations };
      found.rounds.push(faultOutcome);
      printOutcome(found, faultOutcome);
    }
  }
  const { violations, ...certificates } = await judgeAllCertificates(runs, context);
  Object.assign(found, { certificates });
  found.violations.push(...violations);
  return found;
};

const NO_MEASUREMENTS = { calls: 0, extraCalls: 0, callsInFlight: 0, endedAfterMs: 0 };

const toDebateOutcome = (
  name: string,
  { evidence, endedAfterMs }: DebateRun,
  minimum: number,
): DebateOutcome => ({
  name,
  calls: evidence.calls.length,
  extraCalls: evidence.calls.length - minimum,
  callsInFlight: evidence.injectedFaults.reduce(
    (sum, { unstoredCalls }) => sum + unstoredCalls.length,
    0,
  ),
  endedAfterMs,
  violations: [],
});

const printOutcome = (
  found: DebateReport,
  { name, violations, ...figures }: DebateOutcome,
): void => {
  found.violations.push(...violations);
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  process.stdout.write(`${name}: ${verdict} ${JSON.stringify(figures)}\n`);
  for (const one of violations.slice(0, VIOLATIONS_SHOWN)) process.stdout.write(`  ${one}\n`);
};

/**
 * Checks the certificates, ledger entries and webhooks of all debates; returns totals and
 * violations.
 */
const judgeAllCertificates = async (
  runs: readonly DebateRun[],
  { system, home, receiver, council }: RunContext,
): Promise<DebateReport['certificates'] & { violations: string[] }> => {
  const webhookViolations = await judgeWebhooks(runs, receiver);
  const { calls } = council;
  const proofIds = runs.flatMap((run) => run.proofIds);
  const limits = { home, completionTimeoutMs: COMPLETION_TIMEOUT_MS };
  const judged = await judgeCertificates(limits, system.readFile, { calls, proofIds });
  const webhooks = receiver.requestsOf(WEBHOOK_PATH).length;
  return { ...judged, webhooks, violations: [...webhookViolations, ...judged.violations] };
};

/**
 * Returns a violation for each debate whose webhooks differ from its events in the outbox, in
 * number or in the text of the synthesis.
 */
const judgeWebhooks = async (runs: readonly DebateRun[], receiver: Receiver): Promise<string[]> => {
  type Body = { data: { conversationId: string; synthesis: string } };
  const expectedCount = runs.filter(({ evidence }) => evidence.stored.events > 0).length;
  const webhooks = (await untilReceived(receiver, WEBHOOK_PATH, expectedCount)).map(
    ({ body }) => (JSON.parse(body.toString()) as Body).data,
  );
  const got = Map.groupBy(webhooks, ({ conversationId }) => conversationId);
  return runs.flatMap(({ conversationId, evidence }) => {
    const posts = got.get(conversationId) ?? [];
    const isDelivered = posts.every(({ synthesis }) =>
      evidence.outcome?.includes(JSON.stringify(synthesis).slice(1, -1)),
    );
    return [
      ...(posts.length === evidence.stored.events
        ? []
        : [`${conversationId}: ${posts.length} webhooks, not ${evidence.stored.events}`]),
      ...(isDelivered ? [] : [`${conversationId}: its webhook has another synthesis`]),
    ];
  });
};
