import { Migration } from '@mikro-orm/migrations';
import { rowSecuritySql } from '@witan/service-kit';

export class MarketAnalyses extends Migration {
  override up(): void {
    this.addSql(ANALYSES);
    this.addSql(rowSecuritySql('market_analysis'));
  }
}

/** `analysis` is json rather than jsonb, because a certificate commits to its exact text. */
const ANALYSES = `
  CREATE TABLE market_analysis (
    id text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    workspace_id text NOT NULL,
    query text NOT NULL,
    depth text NOT NULL CHECK (depth IN ('quick', 'standard', 'comprehensive')),
    analysis json NOT NULL,
    proof_ids json NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX market_analysis_newest ON market_analysis (workspace_id, position DESC)`;
