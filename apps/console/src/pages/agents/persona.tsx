import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { describeError } from '../../api/api-error.ts';
import { canUse, useSession } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Detail, DetailList } from '../../ui/detail-list.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { Notice } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { notify } from '../../ui/toast.tsx';
import { agentQuery, agentsQuery, deleteAgent, updateAgent, useAgent } from './agents-query.ts';
import type { Agent, UpdatedAgent } from './agents-query.ts';
import css from './agents.module.css';
import { toChange, toDraft } from './persona-draft.ts';
import { PersonaForm } from './persona-form.tsx';

const routeApi = getRouteApi('/shell/agents/$agentId/');

/** Who the agent is, to read or to change. */
export const Persona = () => {
  const { agentId } = routeApi.useParams();
  const agent = useAgent(agentId);
  const canChange = canUse(useSession(), ['agents']);
  return (
    <>
      <Section title="Persona" intro="Part of every call of this agent, in chats and debates.">
        {canChange ? <ChangePersona agent={agent} /> : <ReadPersona agent={agent} />}
      </Section>
      {canChange && <DeleteSection agent={agent} />}
    </>
  );
};

const ReadPersona = ({ agent }: { agent: Agent }) => (
  <DetailList>
    <Detail name="Who it is">
      <span className={css.text}>{agent.systemPrompt}</span>
    </Detail>
    <Detail name="Personality">{agent.personality || 'Not set'}</Detail>
    <Detail name="Mission">{agent.mission || 'Not set'}</Detail>
    <Detail name="Decision style">{agent.decisionStyle || 'Not set'}</Detail>
    <Detail name="Model">{agent.model || 'Default'}</Detail>
  </DetailList>
);

const ChangePersona = ({ agent }: { agent: Agent }) => {
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => toDraft(agent));
  const change = toChange(draft, agent);
  const saving = useMutation({
    mutationFn: () => updateAgent(agent.id, change),
    onSuccess: async (updated) => {
      client.setQueryData(agentQuery(agent.id).queryKey, updated.agent);
      setDraft(toDraft(updated.agent));
      await client.invalidateQueries({ queryKey: agentsQuery.queryKey });
      notify(`${updated.agent.name} is changed`);
    },
  });
  return (
    <>
      {change.name != null && (
        <Notice tone="warn">
          A new name is a new address. Programs that call agent:{agent.slug} must use the new one.
        </Notice>
      )}
      {saving.data && <LeftMachine updated={saving.data} />}
      <PersonaForm
        draft={draft}
        onChange={setDraft}
        action="Save the changes"
        isPending={saving.isPending}
        canSubmit={Object.keys(change).length > 0}
        error={saving.error}
        onSubmit={saving.mutate}
      />
    </>
  );
};

/** What an agent loses that left the machine. */
const LeftMachine = ({ updated }: { updated: UpdatedAgent }) => {
  const { closedSessions = 0, hiddenMemories = 0 } = updated;
  if (closedSessions + hiddenMemories === 0) return null;
  return (
    <Notice tone="warn">
      The agent uses a hosted model now. It cannot continue {formatCount(closedSessions)} sessions
      that were held on this machine, and is not shown {formatCount(hiddenMemories)} memories from
      them. Both return with the local model.
    </Notice>
  );
};

const DeleteSection = ({ agent }: { agent: Agent }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <Section
      title="Delete"
      intro="With its sessions, memories and extracted facts. Certificates remain."
      actions={<Button onPress={() => setOpen(true)}>Delete {agent.name}</Button>}
    >
      {isOpen && <DeleteDialog agent={agent} onClose={() => setOpen(false)} />}
    </Section>
  );
};

const DeleteDialog = ({ agent, onClose }: { agent: Agent; onClose: () => void }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const deleting = useMutation({
    mutationFn: () => deleteAgent(agent.id),
    onSuccess: async () => {
      notify(`${agent.name} is deleted`);
      await navigate({ to: '/agents' });
      client.removeQueries({ queryKey: agentQuery(agent.id).queryKey });
      await client.invalidateQueries({ queryKey: agentsQuery.queryKey });
    },
  });
  return (
    <ConfirmDialog
      title={`Delete ${agent.name}?`}
      isOpen
      onClose={onClose}
      action="Delete the agent"
      isPending={deleting.isPending}
      onConfirm={deleting.mutate}
    >
      <p>
        Its sessions, its own memories and its facts are deleted, and agent:{agent.slug} no longer
        answers. Global memories and certificates remain. This cannot be undone.
      </p>
      {deleting.isError && <Notice tone="bad">{describeError(deleting.error)}</Notice>}
    </ConfirmDialog>
  );
};
