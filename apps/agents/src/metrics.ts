import type { Log } from '@witan/service-kit';
import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DebateStep, DebateStore } from './debate/record/debate-store.ts';
import { reasonOf } from './extraction/extract-facts.ts';
import type { ExtractionFailure } from './extraction/extract-facts.ts';
import type { CalledTool } from './tool/run-tool.ts';

export type Metrics = { onCalled: (call: CalledTool) => void };

/**
 * Creates the metrics. They have no labels for tools or workspaces, because the number of label
 * values would be unbounded.
 */
export const createMetrics = (registry: Registry): Metrics => {
  const calls = new Counter({
    name: 'agents_tool_calls_total',
    help: 'Tool calls sent, by outcome: ok, error or timeout.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'agents_tool_call_seconds',
    help: 'Time from sending a tool call to the end of the response, in seconds.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20],
    registers: [registry],
  });
  return {
    onCalled: ({ status, durationMs }) => {
      calls.inc({ outcome: status });
      seconds.observe(durationMs / 1_000);
    },
  };
};

type CallRecorder = {
  metrics: Metrics;
  log: Log;
  /** Publishes the event of a call of an MCP server's tool. */
  saveMcpCall: (call: CalledTool) => Promise<void>;
};

/**
 * Returns a function that measures, logs and publishes tool calls. It never rejects: the tool has
 * run, so that an event that cannot be written is logged, and the run is returned.
 */
export const createCallRecorder =
  ({ metrics, log, saveMcpCall }: CallRecorder) =>
  async (call: CalledTool): Promise<void> => {
    metrics.onCalled(call);
    log.debug({ event: 'tool_called', ...call }, 'Tool call finished');
    try {
      await saveMcpCall(call);
    } catch (err) {
      const { workspaceId, toolId, mcpServerId } = call;
      log.error(
        { event: 'mcp_event_failed', err, workspaceId, toolId, mcpServerId },
        'Writing the event of an MCP tool call failed, the event is not published',
      );
    }
  };

const FINAL_STEPS: ReadonlySet<DebateStep['kind']> = new Set(['synthesized', 'failed']);

/** Wraps `save` so that it counts ended debates and completed rounds after they are stored. */
export const countDebates = (
  registry: Registry,
  save: DebateStore['save'],
): DebateStore['save'] => {
  const registers = [registry];
  const endedDebates = new Counter({
    name: 'agents_debates_ended_total',
    help: 'Debates ended, by outcome: synthesized or failed.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const rounds = new Counter({
    name: 'agents_debate_rounds_total',
    help: 'Completed debate rounds.',
    registers,
  });
  return async (leased, steps) => {
    await save(leased, steps);
    for (const { kind } of steps) {
      if (FINAL_STEPS.has(kind)) endedDebates.inc({ outcome: kind });
      if (kind === 'round-completed') rounds.inc();
    }
  };
};

/**
 * Returns a function that logs failures of the document worker; `document` is the leased one if
 * reading or indexing it failed, and undefined if a query failed.
 */
export const createDocumentFailureLog =
  (log: Log) =>
  (err: unknown, document?: { id: string }): void => {
    if (document) {
      log.warn(
        { event: 'document_indexing_failed', err, documentId: document.id },
        'Reading or indexing a document failed, it is queued again',
      );
    } else {
      log.warn(
        { event: 'document_worker_query_failed', err },
        'A database query of the document worker failed, will retry',
      );
    }
  };

/** Counts and logs what the embedding worker does, and searches without an embedding. */
export const createEmbeddingReport = (log: Log, registry: Registry) => {
  const documents = new Counter({
    name: 'agents_documents_embedded_total',
    help: 'Documents embedded for the search, by outcome: embedded, failed (retried) or given_up.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return {
    onEmbedded: () => documents.inc({ outcome: 'embedded' }),
    onGivenUp: ({ id: documentId, workspaceId }: { id: string; workspaceId: string }): void => {
      documents.inc({ outcome: 'given_up' });
      log.error(
        { event: 'document_embedding_given_up', documentId, workspaceId },
        'Too many charged attempts to embed a document failed, no more calls are made for it',
      );
    },
    onReset: (count: number): void =>
      log.info(
        { event: 'stale_documents_queued', documents: count },
        'Documents with vectors of another model were queued to be embedded again',
      ),
    // Only the reason is logged, because error messages of providers can quote texts.
    onFailure: (error: unknown, document?: { id: string; workspaceId: string }): void => {
      if (document) {
        documents.inc({ outcome: 'failed' });
        const { id: documentId, workspaceId } = document;
        log.warn(
          {
            event: 'document_embedding_failed',
            reason: reasonOf(error),
            documentId,
            workspaceId,
          },
          'Embedding a document failed, will retry',
        );
      } else {
        log.warn(
          { event: 'embedding_worker_query_failed', err: error },
          'A database query of the embedding worker failed, will retry',
        );
      }
    },
    onQueryFailure: (error: unknown, workspaceId: string): void =>
      log.warn(
        { event: 'query_embedding_failed', reason: reasonOf(error), workspaceId },
        'A search by similarity failed, the search is by terms alone',
      ),
  };
};

/**
 * Returns a function that logs failures of the debate runner; `leased` is the debate if running it
 * failed, and undefined if a query on leases failed.
 */
export const createDebateFailureLog =
  (log: Log) =>
  (err: unknown, leased?: { id: string }): void => {
    if (leased) {
      log.warn(
        { event: 'debate_run_failed', err, debateId: leased.id },
        'Running a debate failed, a replica resumes or ends it when its lease expires',
      );
    } else {
      log.warn(
        { event: 'debate_lease_query_failed', err },
        'Acquiring, renewing or releasing the lease of a debate failed',
      );
    }
  };

export const createFactFailureLog =
  (log: Log) =>
  (failure: ExtractionFailure): void =>
    log.warn(
      { event: 'fact_extraction_failed', ...failure },
      'Fact extraction failed, no facts are returned',
    );

/** Logs only the reason, because error messages of providers can quote prompts. */
export const createSummaryFailureLog =
  (log: Log) =>
  (error: unknown, sessionId: string): void =>
    log.warn(
      { event: 'session_summary_failed', reason: reasonOf(error), sessionId },
      'Summarizing a session failed, the turn continues without a new summary',
    );

/** Logs only the reasons, because keys and values of memories are private content. */
export const createRejectedTagsLog =
  (log: Log) =>
  (agentId: string, rejected: readonly { reason: string }[]): void => {
    if (rejected.length === 0) return;
    const reasons = rejected.map(({ reason }) => reason);
    log.warn(
      { event: 'memory_tags_rejected', agentId, reasons },
      "Some `<MEMORY>` tags in an agent's answer were rejected",
    );
  };
