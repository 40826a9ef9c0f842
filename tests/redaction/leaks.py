"""Lines as people leak them: written by hand, the secret between « and ».

`\\n` stands for a line end. Nothing here was ever in use anywhere.
"""

from __future__ import annotations

ENVIRONMENT = r"""
DB_PASSWORD=«hunter2-Tr0ub4dor»
export DB_PASSWORD=«hunter2-Tr0ub4dor»
DB_PASS="«S3cure&Long!pass»"
MYSQL_ROOT_PASSWORD=«rootme-2024!»
POSTGRES_PASSWORD=«postgres_Prod_77»
REDIS_PASSWORD='«k9!mQz»'
SECRET_KEY=«8f3k2j1h4g5f6d7s8a9p0o»
export SMTP_PASSWORD=«Mailer#2023xx»
APP_SECRET=«correct-horse-battery-staple-42»
ADMIN_PW=«Wint3r2024»
LDAP_BIND_PW=«b1nd-M3-plz»
BASIC_AUTH_PASSWORD=«Monit0r!ng»  # grafana
TWILIO_AUTH_TOKEN=«9f86d081884c7d659a2feaa0c55ad015»
ENCRYPTION_KEY=«Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==»
DATABASE_URL="mysql2://shop:«Xk29-pw»@10.0.0.5/shop"
CELERY_BROKER_URL=redis://:«p4ssw0rd-prod»@redis:6379/1
MAIL_PASSWORD=«wvqz rkfd ylpx tbnc»
GMAIL_APP_PASSWORD="«qzvd xkfw ylpa rntc»"
set DB_PASSWORD=«Wind0ws-Batch»
$env:DB_PASSWORD = "«P0wer-Shell7»"
setx API_KEY «c1d2e3f4a5b6978801f2»
DB_PASSWORD=«winterfalcon»
"""

CONTAINERS = r"""
docker run -e MYSQL_ROOT_PASSWORD=«toor-4-ever» -d mysql:8
docker run --env "DB_PASS=«c0ntainer!»" app:latest
docker run -d -e POSTGRES_PASSWORD=«pg@dm1n» -p 5432:5432 postgres:16
docker exec -it db mysql -uroot -p«Sup3r-R00t» -e 'show databases'
docker login registry.acme.io --username ci --password «Reg-pull-99»
kubectl create secret generic db --from-literal=password=«Qu3ry!ng»
kubectl create secret docker-registry cred --docker-username=ci --docker-password=«Pull-me-77»
helm install pg bitnami/postgresql --set auth.postgresPassword=«Ch4rtPass»
      - MONGO_INITDB_ROOT_PASSWORD=«m0ngo_r00t»
      POSTGRES_PASSWORD: «hunter2-Tr0ub4dor»
- name: DB_PASSWORD\n  value: «K8s-Inl1ne!»\n- name: PORT\n  value: "80"
        env:\n        - name: API_TOKEN\n          value: "«c7a1f0e94b3d28566e1d»"
stringData:\n  username: app\n  password: «Pl41n-in-yaml»
ENV API_KEY=«6d0f846348a856321729»
"""

COMMANDS = r"""
psql "postgresql://admin:«letmein-db1»@db.prod:5432/app"
PGPASSWORD=«gr33nTea» psql -h db -U app -c 'select 1'
psql "host=db user=app password=«Tr1ckyOne» dbname=app"
mysql -u root -p«Sup3rs3cr3t» shop < dump.sql
mysql --user=root --password=«Sup3rs3cr3t!» shop
mongosh "mongodb://root:«r00t-Pa55»@localhost:27017/admin"
redis-cli -h cache -a «cachePa55» ping
curl -u admin:«Adm1n!23» https://jenkins.acme.io/api/json
curl -u 'admin:«hunter2-Tr0ub4dor»' https://jenkins.acme.io/api/json
curl -H "X-Api-Key: «3f9a7c2e51b84d60»" https://api.acme.io/v1/me
curl -H 'Private-Token: «xY7_kq93LmPz-2sWvB4t»' https://git.acme.io/api/v4/user
curl -d 'username=bob&password=«B0b-l0gs-in»' https://acme.io/login
curl --data '{"email":"bob@acme.io","password":"«J5on-b0dy!»"}' https://acme.io/login
http POST acme.io/login username=bob password=«Httpie-99x»
sshpass -p «Op3nSesame» ssh root@10.0.3.4
SSHPASS=«Op3nSesame» sshpass -e ssh root@10.0.3.4
echo "«N0tMyReal1»" | sudo -S apt-get update
echo -e "«N3w-Pw-99»\n«N3w-Pw-99»" | passwd bob
echo 'bob:«Ch-Kenn-77»' | chpasswd
net use Z: \\server\share /user:corp\bob «Passw0rd!9»
net user bob «Winter2025!» /add
openssl pkcs12 -in cert.p12 -passin pass:«exp0rtMe» -nodes
keytool -list -keystore app.jks -storepass «ch4ngeit2»
gpg --batch --passphrase «Lock-my-b0x» -d file.gpg
aws configure set aws_secret_access_key «vXw8Kp2Lq0Zt7Rb5Yc1Nd4Mf6Gh9Js3Ua8Ei0Ot»
az login --service-principal -u 1f0a -p «Vq8-Xk2.tR5w» --tenant acme
htpasswd -bc .htpasswd admin «Ht-pass77»
smbclient //srv/share -U bob%«Sh4rePass»
ldapsearch -x -D cn=admin,dc=acme -w «ld4pSecret» -b dc=acme
rabbitmqctl add_user app «R4bbitHole»
nmcli dev wifi connect Office password «W1f1-guest-2024»
git clone https://bob:«g1t-T0ken-x»@git.acme.io/app.git
git remote set-url origin https://oauth2:«a8f5f167f44f4964e6c998dee827110c»@git.acme.io/app
mvn deploy -Dpassword=«Mav3n-cli» -DskipTests
java -Djavax.net.ssl.keyStorePassword=«K3yst0re!» -jar app.jar
ansible-playbook site.yml -e "ansible_become_pass=«Bec0me-R00t»"
ALTER USER app WITH PASSWORD '«n3wPa55word»';
CREATE USER 'app'@'%' IDENTIFIED BY '«Us3rPass!»';
CREATE ROLE app LOGIN PASSWORD '«R0le-Pass»';
"""

PIPELINES = r"""
    env:\n      SONAR_TOKEN: «a94a8fe5ccb19ba61c4c0873d391e987982fbbd3»
    - run: npm config set //npm.acme.io/:_authToken=«9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a»
  variables:\n    DEPLOY_PASSWORD: "«D3ploy-me-now»"
        with:\n          api-key: «4c9184f37cff01bcdc32dc486ec36961»
          password: «S0natype-ci»
    - export VAULT_PASSWORD=«hunter2-Tr0ub4dor»
    environment { DB_PASSWORD = '«J3nkins-file»' }
variable "db_password" {\n  default = "«Tf-Pr0d-db!»"\n}
  admin_password = "«Az-Vm-2024!»"
ansible_ssh_pass: «S5h-inv3ntory»
10.0.0.7 ansible_user=root ansible_password=«Inv3nt0ry!»
"""

SOURCE = r"""
const password = '«p@ssW0rd1»';
  db.password = "«Gr8Secret!»"
self.api_key = "«b7e23ec29af22b0b4e41da31e868d572»"
password := "«go-Lang-99»"
var dbPass = "«Dbp4ss-x»"
os.environ["ACME_KEY"] = "«0cc175b9c0f1b6a831c399e269772661»"
client = Client(api_key="«k3aF9sT27xLqPw81mZ0v»")
    private static final String PASSWORD = "«J4va-Const»";
define('DB_PASSWORD', '«wp-C0nfig!»');
$config['db_password'] = '«phpP4ss!»';
  "Password": "«appSettings1!»",
"ConnectionString": "Server=db;Database=app;User Id=sa;Password=«Sql-S3rver!»;"
<add key="ApiKey" value="«f47ac10b58cc4372a5670e02b2c3d479»" />
<property name="password" value="«Spr1ng!Bean»"/>
<entry key="db.password">«Xml-Entry9»</entry>
{"username":"admin","password":"«Adm1nPanel»"}
{"user": "bob", "pass": "«B0bs-pass»"}
let token: &str = "«9b74c9897bac770ffc029102a200c5de»";
fetch(url, {headers: {Authorization: 'Bearer «q8Zx3Vn7Lk2Jw9Rt5Yb1Mc6D»'}})
requests.get(url, auth=("admin", "«Fl4sk-admin»"))
smtp.login("me@acme.io", "«Sm7pLogin!»")
ssh.connect(host, username="root", password="«R3motePw»")
  password: process.env.PW || '«Fallb4ck!»',
password = os.getenv("PW", "«D3fault-pw»")
"""

PROSE = r"""
The password is «Tr0ub4dor&3», don't share it.
My wifi password is «BlueHorse42!»
login: admin password: «Admin-77-88»
You can sign in with user test@acme.io and password «Testing!23»
Username: bob\nPassword: «B0b-2024»
creds are root / «toor!2024»
the api key for the maps service is «AbC93kLmP0qRsT45uVwX»
pw: «qwe-RTY-123»
the DB pw is «Kr4ken!x»
Password for the staging server = «Stag1ng#99»
use this token: «3b5d5c3712955042212316173ccf37be»
password → «An0ther!One»
the pass is «G00dPass!»
I set DB_PASSWORD to «hunter2-Tr0ub4dor» on staging
**Password:** «B0ld-mark»
- password: `«t1ck-Quoted»`
Das Passwort ist «Sommer2024!»
Passwort: «Geheim#123»
Das Kennwort lautet «K3nnw0rt!x»
Mein Passwort für den Server ist «Winter-2023x»
Zugangsdaten: admin / «Admin2024!»
Der API-Schlüssel ist «k7Qm2Xv9Zt4Lp8Rw1Nc6»
密码是«Abc12345!»
数据库密码：«Db@2024prod»
账号 admin 密码 «Qwer!234»
密码为 «Zaq1@wsx»
API密钥：«5f4dcc3b5aa765d61d8327deb882cf99»
访问令牌: «Rk29fLs83mQpXz71vBn4»
le mot de passe est «Fr0mage!»
mot de passe : «B4guette-9»
la contraseña es «T0rtilla#1»
пароль: «Kvass-2024»
パスワードは«Sushi!789»です
"""

SHOWN = r"""
| DB_PASSWORD | «Tbl-P4ss!» |
| admin | password | «R0w-pass!» |
DB_PASSWORD            «C0lumn-P4ss»
password    «V4ult-kv-get»
DB_PASSWORD:   «Her0ku-conf»
│ password │ «B0x-draw1» │
![the admin panel, password: «Scr33nshot!»](admin.png)
<img alt="Login form with password «Alt-T3xt!9» filled in">
Username: admin   Password: «0cr-Te5t»
spring.datasource.password=«Pr0perties!»
Enter password: «Typ3d-echo»
+ DB_PASSWORD=«tr4ced-Sh»
[info] connecting with password=«L0gged-it» to db
{"level":"debug","msg":"dsn=app:«D5n-l0g»@tcp(db:3306)/app"}
   12→DB_PASSWORD=«hunter2-Tr0ub4dor»
-DB_PASSWORD=«0ld-in-diff»
"""

NOT_SEEN = r"""
INSERT INTO users (name, password) VALUES ('bob', '«Ins3rt-ed!»');
PASSWORDS = {"bob": "«B0b-in-a-dict»"}
用户名 root，密码 hunter2 改成 «hunter2-Tr0ub4dor»
"""

GROUPS = {
    "environment": ENVIRONMENT, "containers": CONTAINERS, "commands": COMMANDS,
    "pipelines": PIPELINES, "source": SOURCE, "prose": PROSE, "shown": SHOWN,
}  # fmt: skip


def marked_lines(lines: str) -> list[str]:
    return [line for line in lines.splitlines() if "«" in line]


def unmarked(line: str) -> tuple[str, list[str]]:
    """The text of a line, and the secrets in it."""
    secrets = [part.partition("»")[0] for part in line.split("«")[1:]]
    return line.replace("«", "").replace("»", "").replace("\\n", "\n"), secrets
