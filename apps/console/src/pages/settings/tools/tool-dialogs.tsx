import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { describeError } from '../../../api/api-error.ts';
import { canUse, useSession } from '../../../app/session.ts';
import { useChange } from '../../../app/use-change.ts';
import { Checkbox, CheckboxGroup } from '../../../ui/checkbox.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { SecretDialog } from '../../../ui/secret-dialog.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { notify } from '../../../ui/toast.tsx';
import { readObject } from './read-object.ts';
import {
  agentsQuery,
  changeTool,
  createTool,
  deleteTool,
  rotateToolSecret,
  TOOLS_KEY,
} from './tools-query.ts';
import type { Tool, ToolDraft } from './tools-query.ts';

const changes = [TOOLS_KEY];

/** Registers a tool, then shows its secret once. */
export const CreateToolDialog = ({ onClose }: { onClose: () => void }) => {
  const creating = useChange({ run: createTool, changes });
  return (
    <SecretDialog
      title="Register a tool"
      secret={creating.data?.secret}
      name="secret"
      secretTitle="Secret of the tool"
      onClose={onClose}
    >
      <ToolForm
        action="Register the tool"
        isPending={creating.isPending}
        error={creating.error}
        onSubmit={creating.mutate}
        onClose={onClose}
      />
    </SecretDialog>
  );
};

type ToolDialogProps = { tool: Tool; onClose: () => void };

export const EditToolDialog = ({ tool, onClose }: ToolDialogProps) => {
  const saving = useChange({
    run: ({ agentIds: _links, ...draft }: ToolDraft) => changeTool(tool.id, draft),
    changes,
    onDone: onClose,
  });
  return (
    <Dialog title="Change the tool" isOpen onClose={onClose}>
      <ToolForm
        tool={tool}
        action="Save the tool"
        isPending={saving.isPending}
        error={saving.error}
        onSubmit={saving.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
};

const EMPTY_SCHEMA = { type: 'object', properties: {} };

const toJson = (value: object): string => JSON.stringify(value, undefined, 2);

type ToolFormProps = {
  tool?: Tool;
  action: string;
  isPending: boolean;
  error: Error | null;
  onSubmit: (draft: ToolDraft) => void;
  onClose: () => void;
};

const ToolForm = ({ tool, error, onSubmit, ...form }: ToolFormProps) => {
  const [name, setName] = useState(tool?.name ?? '');
  const [description, setDescription] = useState(tool?.description ?? '');
  const [url, setUrl] = useState(tool?.url ?? '');
  const [parameters, setParameters] = useState(toJson(tool?.parameters ?? EMPTY_SCHEMA));
  const [agentIds, setAgentIds] = useState<string[]>([]);
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    try {
      const schema = readObject(parameters, 'Arguments');
      setProblem(undefined);
      onSubmit({
        name: name.trim(),
        description: description.trim(),
        url: url.trim(),
        parameters: schema,
        agentIds,
      });
    } catch (invalid) {
      setProblem(describeError(invalid));
    }
  };
  return (
    <DialogForm {...form} problem={problem ?? error} onSubmit={submit}>
      <TextField
        label="Name"
        autoFocus
        value={name}
        onChange={setName}
        hint="The name of the function for the model, such as get_weather"
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        hint="The model reads it to decide whether to call the tool"
      />
      <TextField
        label="Endpoint"
        type="url"
        value={url}
        onChange={setUrl}
        hint="A public https address, which gets a signed POST"
      />
      <TextField
        label="Arguments"
        isMultiline
        value={parameters}
        onChange={setParameters}
        hint="JSON Schema of an object"
      />
      {tool === undefined && <AgentChoice value={agentIds} onChange={setAgentIds} />}
    </DialogForm>
  );
};

type AgentChoiceProps = { value: string[]; onChange: (ids: string[]) => void };

/** The agents that may call a new tool, if the session may list agents. */
const AgentChoice = ({ value, onChange }: AgentChoiceProps) => {
  const mayList = canUse(useSession(), ['agents:read']);
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: mayList });
  if (agents.length === 0) return null;
  return (
    <CheckboxGroup label="Agents that may call it" value={value} onChange={onChange}>
      {agents.map((agent) => (
        <Checkbox key={agent.id} value={agent.id}>
          {agent.name}
        </Checkbox>
      ))}
    </CheckboxGroup>
  );
};

export const RotateToolSecretDialog = ({ tool, onClose }: ToolDialogProps) => {
  const rotating = useChange({ run: rotateToolSecret, changes });
  return (
    <SecretDialog
      title="Rotate the secret"
      secret={rotating.data?.secret}
      name="secret"
      secretTitle="New secret of the tool"
      onClose={onClose}
    >
      <DialogForm
        action="Rotate the secret"
        isPending={rotating.isPending}
        problem={rotating.error}
        onSubmit={() => rotating.mutate(tool.id)}
        onClose={onClose}
      >
        <p>A new secret signs from now on. The old one signs nothing any more.</p>
      </DialogForm>
    </SecretDialog>
  );
};

export const DeleteToolDialog = ({ tool, onClose }: ToolDialogProps) => {
  const navigate = useNavigate();
  const deleting = useChange({
    run: async () => {
      await deleteTool(tool.id);
      await navigate({ to: '/settings/tools' });
    },
    changes,
    onDone: () => notify(`The tool “${tool.name}” is deleted`),
  });
  return (
    <ConfirmDialog
      title={`Delete “${tool.name}”?`}
      isOpen
      onClose={onClose}
      action="Delete the tool"
      isPending={deleting.isPending}
      error={deleting.error}
      onConfirm={() => deleting.mutate()}
    >
      <p>No agent can call it afterwards. This cannot be undone.</p>
    </ConfirmDialog>
  );
};
