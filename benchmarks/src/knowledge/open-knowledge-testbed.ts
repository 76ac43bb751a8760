import { KnowledgeService } from '@witan/contracts/services';
import { createClient } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import type pg from 'pg';
import type { BenchContext } from '../bench.ts';
import { openConnection, openPostgres } from '../database.ts';
import type { Postgres } from '../database.ts';
import { openService } from '../program/open-service.ts';

/**
 * The agents service with its own durable PostgreSQL, and a client that authenticates as the
 * api-gateway.
 */
export type KnowledgeTestbed = {
  knowledge: Client<typeof KnowledgeService>;
  postgres: Postgres;
  /** A superuser connection, for reads that bypass the service. */
  database: pg.Client;
};

/**
 * Address at which nothing listens: the benchmark makes no completion, and its events stay in the
 * outbox.
 */
const UNUSED_ADDRESS = '127.0.0.1:9';

export const openKnowledgeTestbed = async ({
  stateDir,
  resources,
}: BenchContext): Promise<KnowledgeTestbed> => {
  const postgres = await openPostgres({ stateDir, services: ['agents'] }, resources);
  const database = await openConnection(postgres.adminUrl, resources);
  const env = {
    DATABASE_URL: postgres.urls['agents']!,
    LLM_GATEWAY_ADDRESS: UNUSED_ADDRESS,
    NATS_URL: `nats://${UNUSED_ADDRESS}`,
  };
  const options = { service: 'agents', caller: 'api-gateway', stateDir, env } as const;
  const { connect } = await openService(options, resources);
  return { knowledge: createClient(KnowledgeService, connect()), postgres, database };
};
