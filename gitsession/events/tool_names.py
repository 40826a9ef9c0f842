"""The agents' names for their tools, mapped to kinds that they all share.

Names are compared without case, `_`, `-` and `.`: TodoWrite, todo_write and todowrite are the same.
"""

from __future__ import annotations

_NAMES = {
    "read": "read readfile readfiles readmanyfiles view viewfile viewimage notebookread openfile",
    "write": "write writefile writetofile create createfile",
    "edit": "edit editfile multiedit replace replaceinfile notebookedit strreplace insert "
    "strreplaceeditor strreplacebasededittool texteditor developertexteditor developerwrite "
    "developeredit editor editnotebook",
    "patch": "applypatch patch",
    "glob": "glob globsearch globfiles find findfiles searchfilesbyname",
    "grep": "grep grepsearch searchfilecontent searchfiles grepfiles codebasesearch "
    "searchcodebase ripgrep rg",
    "shell": "bash shell localshell execcommand shellcommand containerexec runshellcommand "
    "executecommand runcommand runcommands runterminalcmd terminal powershell unifiedexec "
    "developershell execute",
    "todos": "todowrite writetodos todos updateplan updatetodo updatetodolist todotodowrite "
    "managetodolist",
    "task_create": "taskcreate trackercreatetask",
    "task_update": "taskupdate trackerupdatetask",
    "plan_enter": "enterplanmode planenter planmodeenter",
    "plan_exit": "exitplanmode planexit planmodeexit planmoderespond",
    "subagent": "task agent spawnagent subagent delegate delegatetoagent newtask launchagent "
    "codebaseinvestigator agenticfetch subagentexecutetask spawnteammate",
    "skill": "skill skills useskill activateskill loadskill",
    "mcp": "usemcptool accessmcpresource readmcpresource readmcpresourcetool",
    "ask": "askuserquestion askuser question askquestion askfollowupquestion requestuserinput",
    "fetch": "webfetch fetch fetchwebcontent fetchwebpage fetchurl urlfetch download",
    "web_search": "websearch googlewebsearch codesearch sourcegraph webresearch",
    "worktree": "enterworktree exitworktree",
}  # fmt: skip
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_DROPPED = str.maketrans("", "", "_-. ")
_OWN = ("developer__", "todo__", "platform__", "skills__", "functions.", "default_api:")
"""Prefixes that some agents put before the names of their own tools."""


def kind_of(name: str) -> str:
    """Return the kind of a tool by its name alone, `other` for an unknown one."""
    bare = name.lower()
    own = bare.startswith(_OWN)
    for start in _OWN:
        bare = bare.removeprefix(start)
    if not own and _is_foreign(bare):
        return "mcp"
    return _KINDS.get(bare.translate(_DROPPED), "other")


def _is_foreign(name: str) -> bool:
    """Whether the tool belongs to a server: `mcp__server__tool`, `mcp_server_tool`,
    `server__tool`."""
    return name.startswith(("mcp__", "mcp_")) or "__" in name.strip("_")
