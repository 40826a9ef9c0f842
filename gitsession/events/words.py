"""The few words that shape alone cannot replace: how a question, a request or a role begins.

First words, in lower case, in the languages of most prompts. A language that is missing here loses
nothing but these finer distinctions.
"""

from __future__ import annotations

import re

_ASKS = (
    "how what why when where who which whose isn't aren't doesn't don't didn't won't "
    "wie was warum wieso weshalb wann wo wer welche welcher welches "
    "comment pourquoi quand où qui quel quelle quels quelles combien est-ce qu'est-ce "
    "cómo qué por|qué cuándo dónde quién cuál cuáles "
    "como|posso o|que por|que quando onde quem qual "
    "come|posso perché quando dove chi quale "
    "как что почему зачем когда где кто какой какая какие "
)
_REQUESTS = (
    "can|you could|you would|you will|you can|we could|we "
    "kannst|du könntest|du können|sie könnten|sie "
    "peux-tu pouvez-vous pourrais-tu pourriez-vous "
    "puedes podrías puede|usted "
    "pode você|pode poderia "
    "можешь можете ты|можешь вы|можете "
)
_ROLES = (
    "you|are you're your|role|is you|will|be act|as behave|as pretend imagine|you respond|as "
    "always never from|now|on "
    "du|bist sie|sind deine|rolle handle|als verhalte|dich ab|jetzt ab|sofort immer niemals "
    "tu|es vous|êtes ton|rôle agis|comme agissez|comme à|partir|de|maintenant toujours "
    "eres usted|es tu|rol actúa|como a|partir|de|ahora siempre nunca "
    "você|é seu|papel aja|como a|partir|de|agora sempre "
    "sei|un sei|una agisci|come d'ora|in|poi "
    "ты вы твоя|роль действуй|как с|этого|момента всегда никогда "
    "sen siz "
)
_STARTS_ASK = (
    "为什么",
    "怎么",
    "什么",
    "如何",
    "哪",
    "谁",
    "なぜ",
    "どう",
    "何",
    "どこ",
    "왜",
    "어떻게",
)
_ENDS_ASK = ("吗", "呢", "么", "か", "かな", "까", "나요")
_STARTS_REQUEST = ("能不能", "可以帮", "帮我")
_STARTS_ROLE = (
    "你是", "您是", "你扮演", "从现在起", "从现在开始", "总是", "请始终", "あなたは", "君は",
    "常に", "今後は", "당신은", "너는", "항상", "أنت", "تصرف", "आप", "तुम",
)  # fmt: skip
_THANKS = re.compile(
    r"\b(?:thanks?|thx|danke|merci|gracias|obrigad[oa]|grazie|спасибо)\b|谢谢|ありがとう|감사",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"\A(?:(?:ok|okay|so|well|hm+|yes|no|and|but|also|please|now|hey|hi|hello|actually|ja|nein|gut"
    r"|bitte|oui|non|s'il (?:te|vous) plaît|sí|si|por favor|да|нет|пожалуйста)\b[\s,.!:…-]*)+",
    re.IGNORECASE,
)


def _opening(phrases: str) -> re.Pattern[str]:
    """Match any of the phrases as first words; `|` stands for a space within a phrase."""
    listed = sorted((re.escape(one.replace("|", " ")) for one in phrases.split()), key=len)
    return re.compile(rf"(?:{'|'.join(reversed(listed))})(?![\w'-])", re.IGNORECASE)


_ASKING, _REQUESTING, _ROLE = _opening(_ASKS), _opening(_REQUESTS), _opening(_ROLES)


def asks(said: str) -> bool:
    """Whether the text begins (or, in Chinese, Japanese and Korean, ends) like a question."""
    words = _bare(said)
    if _ASKING.match(words) or words.startswith(_STARTS_ASK):
        return True
    return words.rstrip(" .。!！…").endswith(_ENDS_ASK)


def requests(said: str) -> bool:
    """Whether the text begins like a friendly request: something to do, nothing decided."""
    words = _bare(said)
    return bool(_REQUESTING.match(words)) or said.startswith(_STARTS_REQUEST)


def gives_role(said: str) -> bool:
    """Whether the text begins by telling the agent who to be, or how to behave from now on."""
    words = _bare(said)
    if asks(said) or requests(said) or words.lower().startswith("never mind"):
        return False
    return bool(_ROLE.match(words)) or words.startswith(_STARTS_ROLE)


def thanks(said: str) -> bool:
    return bool(_THANKS.search(said))


def _bare(said: str) -> str:
    return _FILLERS.sub("", said.strip())
