import { readScopeOnceSql, rowSecuritySql, sqlMigration } from '@witan/service-kit';

/**
 * Vectors of a workspace that can be compared with each other. `mean` is their mean, around which
 * `knowledge_vector.code` is made; null until enough vectors were saved.
 */
const SPACES = `
  CREATE TABLE knowledge_vector_space (
    workspace_id text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    saved integer NOT NULL,
    mean bytea,
    PRIMARY KEY (workspace_id, model, origin)
  )`;

export const VectorSpaces = sqlMigration(
  SPACES,
  rowSecuritySql('knowledge_vector_space'),
  readScopeOnceSql('knowledge_vector_space'),
);
