import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import type { LinkProps } from '@tanstack/react-router';
import { isStatus } from '../../api/api-error.ts';
import { canUse, useSession } from '../../app/session.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Page } from '../../ui/page.tsx';
import { agentQuery } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';

const routeApi = getRouteApi('/shell/agents/$agentId');

/** The pages of one agent, each with the scopes of which a key needs one. */
const PARTS = [
  { to: '/agents/$agentId', label: 'Persona', scopes: ['agents:read'] },
  { to: '/agents/$agentId/chat', label: 'Chat', scopes: ['agents:read'] },
  { to: '/agents/$agentId/memories', label: 'Memories', scopes: ['agents:read'] },
  { to: '/agents/$agentId/tools', label: 'Tools', scopes: ['tools:read'] },
  { to: '/agents/$agentId/documents', label: 'Documents', scopes: ['knowledge:read'] },
] as const satisfies readonly {
  to: NonNullable<LinkProps['to']>;
  label: string;
  scopes: readonly string[];
}[];

/** The frame of one agent: its name and address, with its parts below. */
export const AgentFrame = () => {
  const { agentId } = routeApi.useParams();
  const agent = useQuery(agentQuery(agentId));
  if (agent.data !== undefined) return <Loaded key={agentId} agent={agent.data} />;
  return (
    <Page title="Agent">
      {agent.isPending ? (
        <Skeleton lines={12} />
      ) : isStatus(agent.error, 404) ? (
        <MissingAgent />
      ) : (
        <Failure error={agent.error} onRetry={() => void agent.refetch()} />
      )}
    </Page>
  );
};

const MissingAgent = () => (
  <EmptyState icon="agents" title="There is no such agent in this workspace">
    <p>
      It may have been deleted. <Link to="/agents">Choose one from the list</Link>.
    </p>
  </EmptyState>
);

const Loaded = ({ agent: { id, name, role, slug } }: { agent: Agent }) => {
  const session = useSession();
  return (
    <Page
      title={name}
      intro={
        <>
          {role !== '' && <>{role} · </>}
          <Copyable text={`agent:${slug}`} name="address" />
        </>
      }
      actions={canUse(session, ['gateway:read', 'ledger:read']) && <CallsLink slug={slug} />}
    >
      <nav className={css.parts} aria-label={`Parts of ${name}`}>
        {PARTS.filter(({ scopes }) => canUse(session, scopes)).map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ agentId: id }}
            activeOptions={{ exact: to === '/agents/$agentId', includeSearch: false }}
            className={css.part}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  );
};

const CallsLink = ({ slug }: { slug: Agent['slug'] }) => (
  <Link to="/calls" search={{ agent: slug }} className={buttonClass()}>
    <Icon name="shield" size={16} />
    Certificates
  </Link>
);
