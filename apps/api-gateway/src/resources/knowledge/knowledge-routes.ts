import type { KnowledgeService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { Route } from '../../http/route.ts';
import type { LimitUploads } from '../../server/limit-uploads.ts';
import { linkSourceRoute, unlinkSourceRoute } from './agent-knowledge.ts';
import { addDocumentRoute, deleteDocumentRoute, documentsRoute } from './knowledge-documents.ts';
import { searchKnowledgeRoute } from './knowledge-search.ts';
import {
  createSourceRoute,
  deleteSourceRoute,
  sourceRoute,
  sourcesRoute,
} from './knowledge-sources.ts';

export const knowledgeRoutes = (
  knowledge: Client<typeof KnowledgeService>,
  limitUploads: LimitUploads,
): Route[] => [
  createSourceRoute(knowledge),
  sourcesRoute(knowledge),
  sourceRoute(knowledge),
  deleteSourceRoute(knowledge),
  limitUploads(addDocumentRoute(knowledge)),
  documentsRoute(knowledge),
  deleteDocumentRoute(knowledge),
  searchKnowledgeRoute(knowledge),
  linkSourceRoute(knowledge),
  unlinkSourceRoute(knowledge),
];
