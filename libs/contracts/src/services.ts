export * from './gen/witan/ledger/v1/account_service_pb.ts';
export * from './gen/witan/ledger/v1/certificate_service_pb.ts';
export * from './gen/witan/ledger/v1/ledger_service_pb.ts';
export * from './gen/witan/llm/v1/completion_service_pb.ts';
export * from './gen/witan/llm/v1/counting_service_pb.ts';
export * from './gen/witan/llm/v1/model_service_pb.ts';
export * from './gen/witan/llm/v1/settings_service_pb.ts';
export * from './gen/witan/rpc/v1/session_service_pb.ts';
