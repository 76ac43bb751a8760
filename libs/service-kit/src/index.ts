export { readEnv, ConfigError } from './config/read-env.ts';
export type { Env, EnvReader } from './config/read-env.ts';
export { createLog, LOG_FLUSH_MS, LOG_LEVELS, openStdout } from './log/create-log.ts';
export type { Log } from './log/create-log.ts';
export { createPermits } from './schedule/create-permits.ts';
export type { ReleasePermit } from './schedule/create-permits.ts';
export { createFairQueue } from './schedule/fair-queue.ts';
export { openWorkerThread } from './schedule/worker-thread.ts';
export { createWakeSignal } from './schedule/wake-signal.ts';
export { yieldAfter } from './schedule/yield-after.ts';
export { repeatEvery } from './schedule/repeat-every.ts';
export type { Repetition } from './schedule/repeat-every.ts';
export {
  createSecretCipher,
  readSecretsKey,
  splitSecretsKeys,
} from './encryption/secret-cipher.ts';
export { startReencryption } from './encryption/start-reencryption.ts';
export type { EncryptedTable } from './encryption/start-reencryption.ts';
export type { SecretCipher } from './encryption/secret-cipher.ts';
export { limitSilence } from './database/close-silent-connections.ts';
export { isDatabaseUnreachable } from './database/is-database-unreachable.ts';
export {
  FunctionsMoved,
  functionMigrations,
  readSqlFunctions,
  sqlMigration,
} from './database/function-migrations.ts';
export { limitScopedClients } from './database/limit-scoped-clients.ts';
export { lockUntilCommit, openDatabase } from './database/open-database.ts';
export type { Database, Transaction } from './database/open-database.ts';
export {
  DATABASE_WAIT_MS,
  retryUntilDatabaseReady,
} from './database/retry-until-database-ready.ts';
export {
  everyWorkspace,
  readScopeOnceSql,
  rowSecuritySql,
  SCOPE_SETTING,
  workspaceScope,
} from './database/scope.ts';
export type { Scope } from './database/scope.ts';
export { sweepRows } from './database/sweep-rows.ts';
export type { Checks } from './health/readiness.ts';
export { createChannel } from './rpc/channel.ts';
export type { Channel } from './rpc/channel.ts';
export type { Call, CallOptions } from './rpc/call.ts';
export { abortable } from './schedule/abortable.ts';
export { createTickBatcher } from './schedule/tick-batcher.ts';
export { createDispatcher } from './rpc/dispatcher.ts';
export type { Dispatcher } from './rpc/dispatcher.ts';
export { createInProcessTransport } from './rpc/in-process.ts';
export { createGrpcTransport } from './rpc/grpc-client.ts';
export { openGrpcServer } from './rpc/grpc-server.ts';
export { createTokenIssuer, createTokenVerifier } from './rpc/caller-token.ts';
export { captureTracer, recordSpan, withSpan, withSpanOver } from './telemetry/with-span.ts';
export type { OpenSpan } from './telemetry/with-span.ts';
export {
  bindTrace,
  captureTrace,
  continueTrace,
  withoutTrace,
  pickTraceHeaders,
  toSpanLinks,
} from './telemetry/trace-context.ts';
export type { TraceCarrier } from './telemetry/trace-context.ts';
export { openTelemetry } from './telemetry/open-telemetry.ts';
export type { SpanExporter } from './telemetry/open-telemetry.ts';
export type { Telemetry } from './telemetry/open-export.ts';
export { implement, createClient } from './rpc/transport.ts';
export type { Client, DirectCall, Handlers, Transport } from './rpc/transport.ts';
export { fromErrorDetail, toErrorDetail, toPublicError } from './rpc/status.ts';
export { readProcessConfig } from './boot/process-config.ts';
export type { Environment, LoadOptions, ProcessConfig } from './boot/process-config.ts';
export type {
  CallGraph,
  CreateService,
  Host,
  Service,
  RunningService,
} from './boot/start-service.ts';
export { startService } from './boot/start-service.ts';
export { runProcess } from './boot/run-process.ts';
export { releaseStartMemory } from './boot/release-start-memory.ts';
export { newId } from './ids/new-id.ts';
export { createGuardedClient } from './outbound/create-guarded-client.ts';
export type { GuardedClient, GuardedClientOptions } from './outbound/create-guarded-client.ts';
export { createGuardedConnector } from './outbound/create-guarded-connector.ts';
export { readTargetPolicy } from './outbound/target-policy.ts';
export type { TargetPolicy } from './outbound/target-policy.ts';
export { verifyTargetUrl } from './outbound/verify-target-url.ts';
export { sweepInbox, markEventDead, inboxSql } from './events/inbox.ts';
export { openBroker } from './events/broker.ts';
export type { Broker } from './events/broker.ts';
export type { Poison } from './events/inbox.ts';
export { startConsumer } from './events/consumer.ts';
export type { Consumer } from './events/consumer.ts';
export type { DomainEvent } from './events/event.ts';
export { inspectBroker } from './events/inspect-broker.ts';
export type { BrokerInspection } from './events/inspect-broker.ts';
export {
  OUTBOX_CHANNEL_SQL,
  OUTBOX_STATE_SQL,
  outboxSql,
  toOutboxState,
} from './events/outbox-store.ts';
export type { OutboxState, OutboxStateRow } from './events/outbox-store.ts';
export type { EventTransport } from './events/event-transport.ts';
export { createLocalEvents } from './events/local-events.ts';
export { createNatsEvents } from './events/nats-events.ts';
export { startRelay } from './events/relay.ts';
export type { Relay, RelayOptions } from './events/relay.ts';
export { republishEvents } from './events/requeue-events.ts';
export { applyTopology } from './events/topology.ts';
export type { Topology } from './events/topology.ts';
export { watchChannel } from './events/watch-channel.ts';
export { toEventRow, writeEvent } from './events/write-event.ts';
export type { EventRow, NewEvent } from './events/write-event.ts';
