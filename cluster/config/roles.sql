create role pirogue_owner login password '${OWNER_PASSWORD}';
create role pirogue_app nologin;
create role pirogue_all_teams nologin in role pirogue_app;
grant pirogue_app, pirogue_all_teams to pirogue_owner;
create role pirogue_service login noinherit password '${SERVICE_PASSWORD}' in role pirogue_app, pirogue_all_teams;
create database pirogue_control owner pirogue_owner;
create database pirogue_sandbox owner pirogue_owner;
create database pirogue_live owner pirogue_owner;
