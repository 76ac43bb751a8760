import { randomBytes, randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { EVENT_TYPES } from '@witan/contracts';
import type { EventType } from '@witan/contracts';
import { callGraph } from '@witan/contracts/call-graph';
import { DeliveryService, WebhookService } from '@witan/contracts/services';
import {
  createClient,
  createInProcessTransport,
  createLocalEvents,
  createLog,
  startService,
} from '@witan/service-kit';
import type { Client, DomainEvent, EventTransport, Log } from '@witan/service-kit';
import type { Config } from '../src/config.ts';
import { createService } from '../src/service.ts';
import type { Notifier, Overrides } from '../src/service.ts';

export type TestNotifier = AsyncDisposable & {
  webhooks: Client<typeof WebhookService>;
  deliveries: Client<typeof DeliveryService>;
  onEvent: Notifier['onEvent'];
  adminUrl: string;
};

const SECRETS_KEY = randomBytes(32).toString('base64');

const LOCAL_TARGETS: Config['targets'] = {
  environment: 'development',
  ports: [443],
  allowPrivate: [{ hostname: '127.0.0.1', port: undefined }],
};

const DRAIN_MS = 2_000;
const SHORT_TIMINGS: Overrides = { retryDelaysMs: [20, 60], stopGraceMs: 100 };

export const openNotifier = async (
  databaseUrl: string,
  {
    config = {},
    events = createLocalEvents(),
    log = createLog({ service: 'notifier', level: 'silent' }),
    ...overrides
  }: Overrides & { config?: Partial<Config>; events?: EventTransport; log?: Log } = {},
): Promise<TestNotifier> => {
  let notifier: Notifier | undefined;
  const service = await startService({
    name: 'notifier',
    config: {
      databaseUrl,
      secretsKey: SECRETS_KEY,
      targets: LOCAL_TARGETS,
      isCarrying: true,
      ...config,
    },
    create: async (serviceConfig, host) => {
      notifier = await createService(serviceConfig, host, { ...SHORT_TIMINGS, ...overrides });
      return notifier;
    },
    callGraph,
    events,
    log,
    // The ledger is away, which delays the cosignatures of its log and nothing else.
    connect: () => createInProcessTransport({ caller: 'notifier', dispatcher: () => undefined }),
    admin: { host: '127.0.0.1', port: 0 },
    drainMs: DRAIN_MS,
  });
  const transport = createInProcessTransport({
    caller: 'api-gateway',
    dispatcher: () => service.dispatcher,
  });
  return {
    webhooks: createClient(WebhookService, transport),
    deliveries: createClient(DeliveryService, transport),
    onEvent: notifier!.onEvent,
    adminUrl: service.adminUrl,
    [Symbol.asyncDispose]: service.stop,
  };
};

export const optionsFor = (workspaceId: string) => ({ workspaceId, timeoutMs: 15_000 });

export const eventOf = <T extends EventType>(
  workspaceId: string,
  type: T,
  data: MessageInitShape<(typeof EVENT_TYPES)[T]>,
): DomainEvent => {
  const schema = EVENT_TYPES[type];
  const payload = toBinary(schema, create(schema, data as never) as never);
  return { id: randomUUID(), workspaceId, type, occurredAt: new Date(), payload };
};
