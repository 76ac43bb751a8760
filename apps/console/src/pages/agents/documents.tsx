import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { canUse, useSession } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Failure, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { notify, notifyError } from '../../ui/toast.tsx';
import { useAgent } from './agents-query.ts';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import { allSourcesQuery, createSource, linkSource, sourcesQuery } from './knowledge-query.ts';
import type { Source } from './knowledge-query.ts';
import { LinkForm } from './link-form.tsx';
import { PassageSearch } from './passage-search.tsx';
import { SourceSection } from './source-section.tsx';

const routeApi = getRouteApi('/shell/agents/$agentId/documents');

/** The sources that the agent reads, their documents, and what it finds in them. */
export const Documents = () => {
  const { agentId } = routeApi.useParams();
  const agent = useAgent(agentId);
  const canChange = canUse(useSession(), ['knowledge']);
  const sources = useQuery(sourcesQuery(agentId));
  if (sources.isPending) return <Skeleton lines={8} />;
  if (sources.isError) {
    return <Failure error={sources.error} onRetry={() => void sources.refetch()} />;
  }
  return (
    <>
      {sources.data.length > 0 && <PassageSearch agent={agent} sources={sources.data} />}
      {sources.data.map((source) => (
        <SourceSection key={source.id} agent={agent} source={source} canChange={canChange} />
      ))}
      <Section
        title="Sources"
        intro={
          `A source is a collection of documents. ${agent.name} gets the passages that fit a ` +
          'question, and the certificate of its answer names them by their hashes.'
        }
      >
        {sources.data.length === 0 && (
          <EmptyState icon="calls" title={`${agent.name} reads no documents yet`}>
            <p>
              Create a source, such as “Handbook”, and upload text, Markdown, HTML, PDF or DOCX. One
              source can be read by several agents.
            </p>
          </EmptyState>
        )}
        {canChange && (
          <div className={css.lines}>
            <NewSourceForm agent={agent} />
            <LinkSource agent={agent} linked={sources.data} />
          </div>
        )}
      </Section>
    </>
  );
};

/** Runs a change of the sources of an agent, and loads them again. */
const useSourceChange = <Input,>(
  agent: Agent,
  { change, done }: { change: (input: Input) => Promise<unknown>; done: string },
) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      notify(done);
      await client.invalidateQueries({ queryKey: allSourcesQuery.queryKey });
      await client.invalidateQueries({ queryKey: sourcesQuery(agent.id).queryKey });
    },
    onError: notifyError,
  });
};

const NAME_LENGTH_MAX = 200;

const NewSourceForm = ({ agent }: { agent: Agent }) => {
  const [name, setName] = useState('');
  const creating = useSourceChange(agent, {
    change: async (text: string) => {
      const { id } = await createSource(text);
      await linkSource(agent.id, id);
      setName('');
    },
    done: `${agent.name} reads the new source`,
  });
  return (
    <form
      className={css.line}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') creating.mutate(name.trim());
      }}
    >
      <TextField label="New source" maxLength={NAME_LENGTH_MAX} value={name} onChange={setName} />
      <Button
        type="submit"
        icon="plus"
        isPending={creating.isPending}
        isDisabled={name.trim() === ''}
      >
        Create
      </Button>
    </form>
  );
};

const LinkSource = ({ agent, linked }: { agent: Agent; linked: readonly Source[] }) => {
  const all = useQuery(allSourcesQuery);
  const linking = useSourceChange(agent, {
    change: (sourceId: string) => linkSource(agent.id, sourceId),
    done: `${agent.name} reads the source`,
  });
  return (
    <LinkForm
      label="Source of the workspace"
      action="Link"
      all={all.data ?? []}
      linked={linked}
      isPending={linking.isPending}
      onLink={linking.mutate}
    />
  );
};
