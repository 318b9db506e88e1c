alter role pirogue_service set role = 'pirogue_app';
alter role pirogue_service set statement_timeout = '15s';
alter role pirogue_service set idle_in_transaction_session_timeout = '30s';
